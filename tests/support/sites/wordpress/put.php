<?php
// One PUT of the companion's API in this process, which kills itself before its nth SQL statement.
// Arguments: the root of WordPress, the site's URL, the item, n (0: never). The body is on standard
// input; the post that was answered goes to standard output.
define('ITEM', $argv[3]);
define('KILL_AT', (int) $argv[4]);
$_SERVER['HTTP_HOST'] = parse_url($argv[2], PHP_URL_HOST) . ':' . parse_url($argv[2], PHP_URL_PORT);
$_SERVER['REQUEST_URI'] = '/';
$_SERVER['REQUEST_METHOD'] = 'PUT';
require $argv[1] . '/wp-load.php';

wp_set_current_user(get_user_by('login', 'author')->ID);
$request = new WP_REST_Request('PUT', '/copydesk/v1/posts/' . ITEM);
$request->set_header('Content-Type', 'application/json');
$request->set_body(stream_get_contents(STDIN));
rest_get_server();
add_filter('query', function ($sql) {
    static $seen = 0;
    if (++$seen === KILL_AT) {
        posix_kill(getmypid(), SIGKILL);
    }
    return $sql;
});
$response = rest_do_request($request);
echo json_encode($response->get_data()), "\n";
exit($response->is_error() ? 1 : 0);
