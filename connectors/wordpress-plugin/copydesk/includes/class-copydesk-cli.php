<?php
/**
 * The commands of WP-CLI: wp copydesk run, status, items, retry, reject.
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

	/**
	 * Shows how many items are in each state, and the last run.
	 */
	public function status(): void {
		foreach ( Copydesk_Items::counts() as $state => $number ) {
			WP_CLI::line( sprintf( '%-10s %d', $state, $number ) );
		}
		$last = get_option( Copydesk_Runner::LAST_RUN );
		if ( is_array( $last ) && isset( $last['at'] ) ) {
			/* translators: %s: date and time. */
			WP_CLI::line( sprintf( __( 'Last run: %s', 'copydesk' ), wp_date( 'Y-m-d H:i', $last['at'] ) ) );
			foreach ( (array) ( $last['problems'] ?? array() ) as $problem ) {
				WP_CLI::line( '- ' . $problem );
			}
		}
	}

	/**
	 * Lists 50 items, the last changed first.
	 *
	 * ## OPTIONS
	 *
	 * [--state=<state>]
	 * : Only items in this state.
	 */
	public function items( $args, $options ): void {
		$page = Copydesk_Items::page(
			array(
				'state'    => (string) ( $options['state'] ?? '' ),
				'per_page' => 50,
			)
		);
		foreach ( $page['rows'] as $row ) {
			$link = $row['post_id'] ? (string) get_permalink( $row['post_id'] ) : '';
			WP_CLI::line( rtrim( implode( '  ', array( $row['item_id'], $row['state'], $row['title'], $link, $row['reason'] ) ) ) );
		}
	}

	/**
	 * Tries an item again that failed, was rejected or was withdrawn.
	 *
	 * ## OPTIONS
	 *
	 * <item>
	 * : The id of the item.
	 */
	public function retry( $args ): void {
		self::act( $args, 'retry' );
	}

	/**
	 * Rejects an item: no post of it appears, and the feed is told.
	 *
	 * ## OPTIONS
	 *
	 * <item>
	 * : The id of the item.
	 */
	public function reject( $args ): void {
		self::act( $args, 'reject' );
	}

	private static function act( array $args, string $action ): void {
		$done = Copydesk_Runner::act( (string) $args[0], $action );
		if ( is_wp_error( $done ) ) {
			WP_CLI::error( $done->get_error_message() );
		}
		WP_CLI::success( __( 'Done.', 'copydesk' ) );
	}
}
