<?php
// PHP frames of a process that sleeps or spins, compared with the program's own.
//
// walked_php.php TRUTH sleep|spin ROUNDS MICROSECONDS
//     a fixture: sleeps or spins so long in each of many kinds of frames, and writes the stacks into TRUTH
// walked_php.php TRUTH FOLDED
//     compares folded stacks of the tool with TRUTH: those that end at the line that sleeps or spins must be in TRUTH, and all sleeps there
//
// A line of TRUTH is a stack in the folded form, without native frames.

namespace kinds {

trait Says { function said() { \wait(); } }
abstract class Base { abstract function run(); static function make() { return new static; } }
class Plain extends Base implements \ArrayAccess, \JsonSerializable, \Countable, \IteratorAggregate {
    use Says;
    function run() { $this->said(); }
    static function still() { \wait(); }
    function __invoke() { \wait(); }
    function __get($name) { \wait(); return 1; }
    function __call($name, $arguments) { $this->said(); }
    static function __callStatic($name, $arguments) { self::still(); }
    function __toString() { \wait(); return ''; }
    function offsetExists($at): bool { return true; }
    function offsetGet($at): mixed { \wait(); return 1; }
    function offsetSet($at, $value): void { \wait(); }
    function offsetUnset($at): void { }
    function jsonSerialize(): mixed { \wait(); return 1; }
    function count(): int { \wait(); return 1; }
    function getIterator(): \Iterator { \wait(); return new \ArrayIterator([1]); }
}
class Dies { function __destruct() { \wait(); } }
class Made { function __construct() { \wait(); } }
enum Suit { case Hearts; function said() { \wait(); } static function all() { self::Hearts->said(); } }
function wide($a, ...$more) { \wait(); }
function numbers($n) { for ($i = 0; $i < $n; $i++) { \wait(); yield $i; } }
function deep($left) { $left ? deep($left - 1) : \wait(); }
function ünïcode() { \wait(); }

function all() {
    return [
        'plain' => function () { \wait(); },
        'method' => fn() => Plain::make()->run(),
        'static' => fn() => Plain::still(),
        'invoke' => function () { (new Plain)(); },
        'get' => function () { (new Plain)->nothing; },
        'call' => function () { (new Plain)->nothing(1); },
        'call static' => function () { Plain::nothing(1); },
        'string' => function () { return 'a' . new Plain; },
        'offset' => function () { $p = new Plain; $p[1] = $p[2]; },
        'json' => function () { json_encode([new Plain]); },
        'count' => function () { count(new Plain); },
        'iterator' => function () { foreach (new Plain as $x) { } },
        'destructor' => function () { $d = new Dies; $d = null; },
        'destructor at the end' => function () { $d = new Dies; },
        'constructor' => function () { new Made; },
        'anonymous class' => function () { (new class { function runs() { \wait(); } })->runs(); },
        'enum' => fn() => Suit::all(),
        'arguments' => fn() => wide(1, 2, ...[3, 4]),
        'array_map' => function () { array_map(function ($x) { \wait(); }, [1, 2]); },
        'usort' => function () { $a = [2, 1]; usort($a, fn($x, $y) => \wait() <=> 0); },
        'nested callbacks' => function () {
            array_map(function ($x) {
                $a = [2, 1];
                usort($a, function ($x, $y) {
                    return preg_replace_callback('/a/', fn($m) => \wait(), 'a') <=> '';
                });
            }, [1]);
        },
        'call_user_func' => fn() => call_user_func([new Plain, 'run']),
        'call_user_func_array' => fn() => call_user_func_array('kinds\wide', [1, 2]),
        'callable' => function () { $f = wide(...); $f(1); array_map($f, [1]); },
        'internal callback' => fn() => [\noted('array_map;time_nanosleep'), array_map('time_nanosleep', [0], [1000000])],
        'reflection' => fn() => (new \ReflectionMethod(Plain::class, 'run'))->invoke(new Plain),
        'generator' => function () { foreach (numbers(2) as $x) { } },
        'generator by hand' => function () { $g = numbers(2); $g->current(); $g->next(); },
        'generator to array' => fn() => iterator_to_array(numbers(1)),
        'finally' => function () { try { throw new \Exception; } catch (\Exception $e) { \wait(); } finally { \wait(); } },
        'error handler' => function () {
            set_error_handler(function () { \wait(); return true; });
            $nothing[1] ?? trigger_error('x', E_USER_NOTICE);
            restore_error_handler();
        },
        'output buffer' => function () { ob_start(function ($text) { \spun(); return ''; }); echo 'x'; ob_end_clean(); },
        'autoload' => function () {
            spl_autoload_register($load = function ($name) { \wait(); });
            try { new Nothing; } catch (\Error $e) { } // 8.4 calls class_exists() without a frame
            spl_autoload_unregister($load);
        },
        'eval' => function () { eval("\n\\wait();\n"); },
        'include' => function () { include \included(); },
        'assert' => fn() => ünïcode(),
        'deep' => fn() => deep(90),
        'too deep' => fn() => deep(300),
        'fiber' => function () {
            $fiber = new \Fiber(function () { \wait(); \Fiber::suspend(); ünïcode(); });
            $fiber->start();
            $fiber->resume();
        },
        'multiple lines' => function () {
            wide(
                1,
                2
            );
        },
    ];
}

}

namespace {

const MORE = '[php: more frames]';

function included() {
    $path = sys_get_temp_dir() . '/walked_php_included_' . getmypid() . '.php';
    file_put_contents($path, "<?php\nunlink(__FILE__);\n\$in_file = function () { wait(); };\n\$in_file(); wait();\n");
    return $path;
}

function is_internal($entry) {
    return isset($entry['class']) ? (new ReflectionMethod($entry['class'], $entry['function']))->isInternal()
        : (new ReflectionFunction($entry['function']))->isInternal();
}

/* The stack that sleeps now, if it is called on the line of the sleep. */
function note($inner, $from = 0) {
    global $stacks;
    $frames = [];
    $trace = debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS);
    $trace[] = ['function' => 'include'];
    for ($i = 1 + $from; $i < count($trace); $i++) {
        $at = $trace[$i - 1];
        $name = (isset($trace[$i]['class']) ? strtok($trace[$i]['class'], "\0") . '::' : '') . $trace[$i]['function'];
        if (in_array($trace[$i]['function'], ['include', 'eval']))
            $name = '{main}';
        $frames[] = isset($at['file']) ? sprintf('%s (%s:%d)', $name, basename($at['file']), $at['line']) : $name;
    }
    $stacks[implode(';', array_reverse($frames)) . ($inner ? ";$inner" : '')] = true;
}

function noted($inner) {
    if ($GLOBALS['how'] == 'slept')
        note($inner, 1);
}

function slept() {
    note('time_nanosleep'); time_nanosleep(0, $GLOBALS['span'] * 1000); // waits
}

/* Microseconds of the CPU. */
function used($usage) {
    return 1e6 * ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) + $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec'];
}

function spun() {
    $until = used(getrusage()) + $GLOBALS['span'];
    while (used(getrusage()) < $until || note('')); // waits
}

function wait() {
    $GLOBALS['how'](); return '';
}

function fixture($path, $kind, $rounds, $microseconds) {
    global $how, $span, $stacks;
    [$how, $span, $stacks] = [['sleep' => 'slept', 'spin' => 'spun'][$kind], (int)$microseconds, []];
    echo 'READY ', getmypid(), "\n";
    fgets(STDIN);
    for ($i = 0; $i < $rounds; $i++)
        foreach (kinds\all() as $name => $run)
            $run();
    file_put_contents($path, implode("\n", array_keys($stacks)) . "\n");
    echo "DONE\n";
    fgets(STDIN);
}

function check($truth, $folded) {
    $wanted = array_fill_keys(file($truth, FILE_IGNORE_NEW_LINES), 0);
    $others = $wrong = $compared = 0;
    $names = $last = [];
    foreach (array_keys($wanted) as $stack) {
        $frames = explode(';', $stack);
        $names += array_fill_keys($frames, true);
        $last[preg_replace('/;time_nanosleep$/', '', $stack)] = true;
        $last[end($frames)] = true;
    }
    foreach (file($folded, FILE_IGNORE_NEW_LINES) as $line) {
        [, $stack, $count] = preg_match('/^(.*) (\d+)$/', $line, $found) ? $found : fail($line);
        $stack = str_replace('\\\\', '\\', $stack);
        $frames = array_filter(explode(';', $stack), fn($frame) => isset($names[$frame]) || preg_match('/^[^;]+ \(.+:\d+\)$|^\[php: /', $frame));
        if (!$frames || !isset($last[end($frames)])) {
            $others += $count;
            continue;
        }
        $seen = implode(';', $frames);
        $whole = str_starts_with($seen, MORE) ? array_filter(array_keys($wanted), fn($stack) => str_ends_with($stack, substr($seen, strlen(MORE)))) : [$seen];
        $compared += $count;
        foreach ($whole ?: [$seen] as $one) {
            if (isset($wanted[$one])) {
                $wanted[$one] += $count;
            } else {
                $wrong += $count;
                echo "wrong:\n  ", str_replace(';', "\n  ", $stack), "\n";
            }
        }
    }
    $missing = array_filter($wanted, fn($count, $stack) => !$count && str_ends_with($stack, 'time_nanosleep'), ARRAY_FILTER_USE_BOTH);
    foreach ($missing as $stack => $count)
        echo "missing:\n  ", str_replace(';', "\n  ", $stack), "\n";
    echo count($wanted), " stacks; $compared compared, $wrong of them wrong; $others elsewhere\n";
    exit($wrong || $missing || !$compared ? 1 : 0);
}

$argc == 3 ? check($argv[1], $argv[2]) : fixture($argv[1], $argv[2], $argv[3], $argv[4]);

}
