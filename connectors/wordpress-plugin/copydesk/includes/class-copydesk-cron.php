<?php
/**
 * The run every 15 minutes, by WordPress's own timer, by whatever calls wp-cron.php, or by WP-CLI.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

final class Copydesk_Cron {
	const HOOK     = 'copydesk_run';
	const CONTINUE = 'copydesk_continue';
	const CLEAN    = 'copydesk_clean';
	const SCHEDULE = 'copydesk_quarter_hour';

	public static function boot(): void {
		// phpcs:ignore WordPress.WP.CronInterval -- a feed is asked every 15 to 30 minutes.
		add_filter( 'cron_schedules', array( __CLASS__, 'schedules' ) );
		add_action( self::HOOK, array( __CLASS__, 'run' ) );
		add_action( self::CONTINUE, array( __CLASS__, 'run' ) );
		add_action( self::CLEAN, array( 'Copydesk_Items', 'forget_texts' ) );
		add_action( 'init', array( __CLASS__, 'schedule' ), 20 );
		register_activation_hook( COPYDESK_FILE, array( __CLASS__, 'activate' ) );
		register_deactivation_hook( COPYDESK_FILE, array( __CLASS__, 'deactivate' ) );
		if ( defined( 'WP_CLI' ) && WP_CLI ) {
			WP_CLI::add_command( 'copydesk run', array( __CLASS__, 'command' ) );
		}
	}

	public static function schedules( $schedules ) {
		$schedules[ self::SCHEDULE ] = array(
			'interval' => 15 * MINUTE_IN_SECONDS,
			'display'  => __( 'Every 15 minutes', 'copydesk' ),
		);
		return $schedules;
	}

	/** Put the timers in where they are missing, also on a site that is new in its network. */
	public static function schedule(): void {
		if ( ! wp_next_scheduled( self::HOOK ) ) {
			wp_schedule_event( time() + MINUTE_IN_SECONDS, self::SCHEDULE, self::HOOK );
		}
		if ( ! wp_next_scheduled( self::CLEAN ) ) {
			wp_schedule_event( time() + HOUR_IN_SECONDS, 'daily', self::CLEAN );
		}
	}

	public static function run(): void {
		if ( Copydesk_Settings::has_feed() ) {
			Copydesk_Runner::run( 'cron' );
		}
	}

	/** Pulls, publishes and confirms all that waits. Use it from a real cron. */
	public static function command(): void {
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

	/** Time was over before the work was: go on in a minute. */
	public static function continue_soon(): void {
		if ( ! wp_next_scheduled( self::CONTINUE ) ) {
			wp_schedule_single_event( time() + MINUTE_IN_SECONDS, self::CONTINUE );
		}
	}

	/** @param bool $network_wide Whether it is activated for all sites; each then does this by itself at its next request. */
	public static function activate( $network_wide = false ): void {
		Copydesk_Items::install();
		self::schedule();
	}

	/** @param bool $network_wide Whether it is deactivated for all sites. */
	public static function deactivate( $network_wide = false ): void {
		$sites = $network_wide && is_multisite() ? get_sites( array( 'fields' => 'ids', 'number' => 0 ) ) : array( get_current_blog_id() );
		foreach ( $sites as $site ) {
			if ( is_multisite() ) {
				switch_to_blog( $site );
			}
			foreach ( array( self::HOOK, self::CONTINUE, self::CLEAN ) as $hook ) {
				wp_clear_scheduled_hook( $hook );
			}
			if ( is_multisite() ) {
				restore_current_blog();
			}
		}
	}
}
