<?php
// Yoast SEO and Rank Math as far as a client of the REST API sees them, with their fields writable
// there, as the plugin makes them. WordPress's own rules about meta hold.
add_action('init', function () {
    foreach (['_yoast_wpseo_title', '_yoast_wpseo_metadesc', '_yoast_wpseo_focuskw',
              'rank_math_title', 'rank_math_description', 'rank_math_focus_keyword',
              '_copydesk_json_ld'] as $key) {
        register_post_meta('post', $key, ['show_in_rest' => true, 'single' => true, 'type' => 'string',
            'auth_callback' => fn($allowed, $key, $post_id, $user_id) =>
                user_can($user_id, 'edit_post', $post_id) && !get_option('copydesk_test_meta_closed')]);
    }
});
add_action('rest_api_init', function () {
    register_rest_route('yoast/v1', '/x', ['methods' => 'GET', 'callback' => '__return_true',
                                           'permission_callback' => '__return_true']);
});
