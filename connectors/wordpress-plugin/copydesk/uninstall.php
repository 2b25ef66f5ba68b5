<?php
/**
 * Deletes what the plugin stored, on every site of a network; the posts stay.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

if ( ! defined( 'WP_UNINSTALL_PLUGIN' ) ) {
	exit;
}

/** Delete what the plugin stored on the present site. */
function copydesk_uninstall_site(): void {
	global $wpdb;
	// phpcs:ignore WordPress.DB
	$wpdb->query( "DROP TABLE IF EXISTS {$wpdb->prefix}copydesk_items" );
	foreach ( array( 'copydesk_run', 'copydesk_continue', 'copydesk_clean' ) as $hook ) {
		wp_clear_scheduled_hook( $hook );
	}
	delete_transient( 'copydesk_beside' );
	foreach ( array( array( $wpdb->options, 'option_name', array( 'copydesk\\_', '\\_transient\\_copydesk\\_', '\\_transient\\_timeout\\_copydesk\\_' ) ), array( $wpdb->postmeta, 'meta_key', array( '\\_copydesk\\_' ) ) ) as list( $table, $column, $prefixes ) ) {
		foreach ( $prefixes as $prefix ) {
			// phpcs:ignore WordPress.DB
			$wpdb->query( $wpdb->prepare( "DELETE FROM $table WHERE $column LIKE %s", $prefix . '%' ) );
		}
	}
	$wpdb->query( "DELETE FROM $wpdb->usermeta WHERE meta_key LIKE 'copydesk\\_%' OR meta_key LIKE 'managetoplevel\\_page\\_copydesk%'" ); // phpcs:ignore WordPress.DB
	wp_cache_flush();
}

if ( is_multisite() ) {
	foreach ( get_sites( array( 'fields' => 'ids', 'number' => 0 ) ) as $copydesk_site ) {
		switch_to_blog( $copydesk_site );
		copydesk_uninstall_site();
		restore_current_blog();
	}
} else {
	copydesk_uninstall_site();
}
