<?php
// Loads the plugin's classes for posts, whether or not the plugin is active.
foreach (['post', 'head'] as $copydesk_part) {
    require_once WP_PLUGIN_DIR . "/copydesk/includes/class-copydesk-$copydesk_part.php";
}
Copydesk_Head::boot();
