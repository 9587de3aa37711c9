// Runs until it is killed; says "ready" when its functions have been compiled.
'use strict';

function leafWork(n) {
	let x = 0;
	for (let i = 0; i < n; i++)
		x = (x * 31 + i) % 1000003;
	return x;
}

function middleWork(n) {
	let sum = 0;
	for (let i = 0; i < 50; i++)
		sum += leafWork(n);
	return sum;
}

function outerWork(end) {
	let sum = 0;
	while (Date.now() < end)
		sum += middleWork(20000);
	return sum;
}

outerWork(Date.now() + 1000);
require('fs').writeSync(1, 'ready\n');
outerWork(Infinity);
