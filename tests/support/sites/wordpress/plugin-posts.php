<?php
// Lets the plugin's classes for posts do what the file of COPYDESK_TEST_CALLS says: a JSON list of
// objects with "do" and its arguments. Returns what came of each; snippet.php runs it.
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
];
$results = [];
foreach (json_decode(file_get_contents(getenv('COPYDESK_TEST_CALLS')), true, 512, JSON_THROW_ON_ERROR) as $call) {
    $result = $actions[$call['do']]($call);
    $results[] = is_wp_error($result)
        ? ['error' => $result->get_error_code(), 'message' => $result->get_error_message()]
        : $result;
}
return $results;
