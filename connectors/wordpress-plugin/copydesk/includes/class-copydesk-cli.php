<?php
/**
 * The command of WP-CLI: wp copydesk run.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/**
 * Publishes the posts of a Copydesk feed.
 */
final class Copydesk_CLI {
	public static function boot(): void {
		if ( defined( 'WP_CLI' ) && WP_CLI ) {
			WP_CLI::add_command( 'copydesk', __CLASS__ );
		}
	}

	/**
	 * Pulls, publishes and confirms all that waits. Use it from a real cron.
	 */
	public function run(): void {
		$done = Copydesk_Runner::run( 'cli' );
		foreach ( $done['problems'] as $problem ) {
			WP_CLI::warning( $problem );
		}
		/* translators: 1 to 4: numbers of posts. */
		$said = sprintf( __( '%1$d pulled, %2$d done, %3$d waiting, %4$d failed.', 'copydesk' ), $done['pulled'], $done['published'], $done['waiting'], $done['failed'] );
		if ( $done['problems'] ) {
			WP_CLI::line( $said );
			WP_CLI::halt( 1 );
		}
		WP_CLI::success( $said );
	}
}
