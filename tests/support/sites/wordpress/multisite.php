<?php
// Makes a network of a WordPress, with one more site at /second/, and prints the new site's id.
// Run twice, for WordPress reads from its configuration whether it is a network: "network", and,
// once that says so, "site". Arguments: the root of WordPress, the site's URL, the step.
define('SITE_URL', $argv[2]);
define('STEP', $argv[3]);
define('HOST', parse_url(SITE_URL, PHP_URL_HOST) . ':' . parse_url(SITE_URL, PHP_URL_PORT));
$_SERVER['HTTP_HOST'] = HOST;
$_SERVER['REQUEST_URI'] = '/';
$_SERVER['REQUEST_METHOD'] = 'GET';
if (STEP === 'network') {
    define('WP_INSTALLING_NETWORK', true);
}
require $argv[1] . '/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
add_filter('pre_http_request', fn() => new WP_Error('offline', 'nothing is called while installing'));
add_filter('pre_wp_mail', '__return_true');
$administrator = get_user_by('login', 'administrator')->ID;
wp_set_current_user($administrator);

if (STEP === 'network') {
    foreach ($wpdb->tables('ms_global') as $name => $table) {
        $wpdb->$name = $table;
    }
    install_network();
    $made = populate_network(1, HOST, 'administrator@example.com', 'A network', '/', false);
    if (is_wp_error($made)) {
        fwrite(STDERR, $made->get_error_message());
        exit(1);
    }
    exit(0);
}
$blog = wpmu_create_blog(HOST, '/second/', 'Second', $administrator, [], 1);
if (is_wp_error($blog)) {
    fwrite(STDERR, $blog->get_error_message());
    exit(1);
}
foreach (['editor', 'author', 'contributor'] as $role) {
    add_user_to_blog($blog, get_user_by('login', $role)->ID, $role);
}
// What the first password that somebody makes in a network sets; ours are older than the network.
update_network_option(1, WP_Application_Passwords::OPTION_KEY_IN_USE, true);
switch_to_blog($blog);
update_option('permalink_structure', '/%postname%/');
delete_option('rewrite_rules');
foreach (get_posts(['post_type' => 'any', 'post_status' => 'any', 'numberposts' => -1]) as $post) {
    wp_delete_post($post->ID, true);
}
restore_current_blog();
echo $blog, "\n";
