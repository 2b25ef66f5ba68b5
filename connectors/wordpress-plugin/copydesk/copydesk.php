<?php
/**
 * Plugin Name: Copydesk
 * Description: Publishes the posts of a Copydesk feed on this site, each exactly once, where and when they should appear.
 * Version: 0.1.0
 * Author: Copydesk
 * Requires at least: 6.1
 * Requires PHP: 7.4
 * License: GPL-2.0-or-later
 * License URI: https://www.gnu.org/licenses/old-licenses/gpl-2.0.html
 * Text Domain: copydesk
 * Domain Path: /languages
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

if ( ! defined( 'ABSPATH' ) || defined( 'COPYDESK_VERSION' ) ) {
	return;
}

define( 'COPYDESK_VERSION', '0.1.0' );
define( 'COPYDESK_FILE', __FILE__ );
define( 'COPYDESK_DIR', __DIR__ );

foreach ( array( 'items', 'feed', 'calendar', 'runner', 'cron', 'settings', 'html', 'blocks', 'links', 'media', 'post', 'head' ) as $copydesk_part ) {
	require_once __DIR__ . "/includes/class-copydesk-$copydesk_part.php";
}
unset( $copydesk_part );
require_once __DIR__ . '/admin/class-copydesk-admin.php';

Copydesk_Items::boot();
Copydesk_Runner::boot();
Copydesk_Cron::boot();
Copydesk_Settings::boot();
Copydesk_Head::boot();
Copydesk_Admin::boot();
