// Runs until it is killed; says "ready" when its methods have been compiled.
public class Spin {
	static int leafWork(int n) {
		int x = 0;
		for (int i = 0; i < n; i++)
			x = (x * 31 + i) % 1000003;
		return x;
	}

	static int middleWork(int n) {
		int sum = 0;
		for (int i = 0; i < 50; i++)
			sum += leafWork(n);
		return sum;
	}

	static int outerWork(long end) {
		int sum = 0;
		while (System.currentTimeMillis() < end)
			sum += middleWork(20000);
		return sum;
	}

	public static void main(String[] words) {
		outerWork(System.currentTimeMillis() + 1000);
		System.out.println("ready");
		outerWork(Long.MAX_VALUE);
	}
}
