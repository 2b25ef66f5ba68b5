<?php
// Lets the plugin's classes for posts do what standard input says: a JSON list of objects with "do"
// and its arguments. Standard output gets a JSON list of what came of each.
// Arguments: the root of WordPress, the site's URL, the login that acts or "" for nobody as in cron.
define('LOGIN', $argv[3]);
$_SERVER['HTTP_HOST'] = parse_url($argv[2], PHP_URL_HOST) . ':' . parse_url($argv[2], PHP_URL_PORT);
$_SERVER['REQUEST_URI'] = '/';
$_SERVER['REQUEST_METHOD'] = 'GET';
require $argv[1] . '/wp-load.php';

if (LOGIN !== '') {
    wp_set_current_user(get_user_by('login', LOGIN)->ID);
}

function said($result)
{
    return is_wp_error($result)
        ? ['error' => $result->get_error_code(), 'message' => $result->get_error_message()]
        : $result;
}

$actions = [
    'convert' => function ($call) {
        $root = Copydesk_Html::parse($call['html']);
        return is_wp_error($root) ? $root : ['blocks' => Copydesk_Blocks::write($root->children),
                                             'html' => Copydesk_Html::write($root->children)];
    },
    'fields' => fn($call) => Copydesk_Post::fields($call['item'], $call['route']),
    'read' => fn($call) => Copydesk_Post::read($call['item']),
    'problem' => fn($call) => Copydesk_Post::problem($call['item']),
    'begin' => fn() => Copydesk_Post::begin('itm_1'),
    'fill' => function ($call) {
        $status = get_post_status($call['post']);
        $status = ['post_status' => $status === 'auto-draft' ? 'draft' : $status];
        return Copydesk_Post::fill($call['post'], $call['item'], $call['route'], $status);
    },
    'unedited' => fn($call) => Copydesk_Post::is_unedited(get_post($call['post']), $call['item'], $call['route']),
    'status' => fn($call) => wp_update_post(['ID' => $call['post'], 'post_status' => $call['status']], true),
    'jsonld' => fn($call) => Copydesk_Post::jsonld($call['item'], (int) get_post($call['post'])->post_author, $call['route']),
];
$results = [];
foreach (json_decode(stream_get_contents(STDIN), true, 512, JSON_THROW_ON_ERROR) as $call) {
    $results[] = said($actions[$call['do']]($call));
}
echo json_encode($results, JSON_THROW_ON_ERROR), "\n";
