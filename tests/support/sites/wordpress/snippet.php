<?php
// Runs PHP code of standard input in a WordPress and prints what the code returns, as JSON.
// Arguments: the root of WordPress, the site's URL, and n: the process kills itself before its nth
// SQL statement or HTTP request, or between the nth answer of HTTP and its reading (0: never).
define('SNIPPET_CODE', stream_get_contents(STDIN));
define('SNIPPET_KILL_AT', (int) $argv[3]);
$_SERVER['HTTP_HOST'] = parse_url($argv[2], PHP_URL_HOST) . ':' . parse_url($argv[2], PHP_URL_PORT);
$_SERVER['REQUEST_URI'] = rtrim((string) parse_url($argv[2], PHP_URL_PATH), '/') . '/';
$_SERVER['REQUEST_METHOD'] = 'GET';
$_SERVER['SERVER_PROTOCOL'] = 'HTTP/1.1';
require $argv[1] . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';

function snippet_step($value) {
    static $seen = 0;
    if (++$seen === SNIPPET_KILL_AT) {
        posix_kill(getmypid(), SIGKILL);
    }
    return $value;
}

add_filter('query', 'snippet_step');
add_filter('pre_http_request', 'snippet_step');
add_filter('http_response', 'snippet_step');
echo "\n", json_encode(eval(SNIPPET_CODE), JSON_INVALID_UTF8_SUBSTITUTE), "\n";
