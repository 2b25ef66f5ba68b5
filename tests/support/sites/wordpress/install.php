<?php
// Installs WordPress into an empty database and prints one JSON object:
//   {"version": …, "users": {ROLE: {"login": …, "password": …, "app_password": …}}}
// Arguments: the root of WordPress, the site's URL, the roles.
// Constants rather than variables, because WordPress overwrites globals as it loads.
define('WP_INSTALLING', true);
define('SITE_URL', $argv[2]);
define('ROLES', array_slice($argv, 3));
$_SERVER['HTTP_HOST'] = parse_url(SITE_URL, PHP_URL_HOST) . ':' . parse_url(SITE_URL, PHP_URL_PORT);
$_SERVER['REQUEST_URI'] = '/';
$_SERVER['REQUEST_METHOD'] = 'GET';
define('WP_SITEURL', SITE_URL);
require $argv[1] . '/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';

// wp_install asks its own site for a permalink and writes to its owner; nobody listens yet.
add_filter('pre_http_request', fn() => new WP_Error('offline', 'nothing is called while installing'));
add_filter('pre_wp_mail', '__return_true');
wp_install('A test site', 'administrator', 'administrator@example.com', true, '', wp_generate_password());

global $wp_rewrite;
$wp_rewrite->set_permalink_structure('/%postname%/');
$wp_rewrite->flush_rules(false);
// The posts and pages that every new site starts with.
foreach (get_posts(['post_type' => 'any', 'post_status' => 'any', 'numberposts' => -1]) as $post) {
    wp_delete_post($post->ID, true);
}

// A password is checked with every call of XML-RPC: a strong hash would take most of the tests' time.
add_filter('wp_hash_password_options', fn() => ['cost' => 4]);

function make_user(string $role): array
{
    $password = wp_generate_password();
    $user = get_user_by('login', $role);
    $fields = ['user_login' => $role, 'user_pass' => $password, 'role' => $role,
               'user_email' => "$role@example.com", 'display_name' => ucfirst($role)];
    $id = $user ? $user->ID : wp_insert_user($fields);
    if ($user) {
        wp_set_password($password, $id);
    }
    [$app_password] = WP_Application_Passwords::create_new_application_password($id, ['name' => 'tests']);
    return ['login' => $role, 'password' => $password, 'app_password' => $app_password];
}

echo json_encode([
    'version' => get_bloginfo('version'),
    'users' => array_combine(ROLES, array_map('make_user', ROLES)),
], JSON_THROW_ON_ERROR), "\n";
