<?php
/**
 * Tests for Tools → Site Health.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

final class Copydesk_Site_Health {
	const AJAX = 'copydesk-feed';

	public static function boot(): void {
		add_filter( 'site_status_tests', array( __CLASS__, 'add_tests' ) );
		add_action( 'wp_ajax_health-check-' . self::AJAX, array( __CLASS__, 'answer_feed' ) );
	}

	public static function add_tests( array $tests ): array {
		$direct = array(
			'copydesk_table' => array( __( 'Copydesk table', 'copydesk' ), 'test_table' ),
			'copydesk_cron'  => array( __( 'Copydesk schedule', 'copydesk' ), 'test_cron' ),
			'copydesk_posts' => array( __( 'Copydesk posts', 'copydesk' ), 'test_posts' ),
		);
		foreach ( $direct as $name => $test ) {
			$tests['direct'][ $name ] = array(
				'label' => $test[0],
				'test'  => array( __CLASS__, $test[1] ),
			);
		}
		// It calls another server, so that the page does not wait for it.
		$tests['async'][ self::AJAX ] = array(
			'label'             => __( 'Copydesk feed', 'copydesk' ),
			'test'              => self::AJAX,
			'async_direct_test' => array( __CLASS__, 'test_feed' ),
		);
		return $tests;
	}

	public static function answer_feed(): void {
		check_ajax_referer( 'health-check-site-status' );
		if ( ! current_user_can( 'view_site_health_checks' ) ) {
			wp_send_json_error( null, 403 );
		}
		wp_send_json_success( self::test_feed() );
	}

	public static function test_feed(): array {
		if ( ! Copydesk_Settings::has_feed() ) {
			return self::result( self::AJAX, 'recommended', __( 'Copydesk has no feed address', 'copydesk' ), __( 'Copydesk fetches no posts until the address of a feed is saved.', 'copydesk' ), self::settings_link() );
		}
		$found = Copydesk_Feed_Check::run();
		if ( is_wp_error( $found ) ) {
			return self::result( self::AJAX, 'critical', __( 'Copydesk cannot reach its feed', 'copydesk' ), $found->get_error_message(), self::settings_link() );
		}
		return self::result( self::AJAX, 'good', __( 'Copydesk’s feed responds', 'copydesk' ), __( 'The feed responds.', 'copydesk' ) );
	}

	public static function test_table(): array {
		global $wpdb;
		$table = $wpdb->prefix . 'copydesk_items';
		if ( $wpdb->get_var( $wpdb->prepare( 'SHOW TABLES LIKE %s', $wpdb->esc_like( $table ) ) ) === $table ) {
			return self::result( 'copydesk_table', 'good', __( 'Copydesk’s table exists', 'copydesk' ), __( 'Copydesk keeps a row for each post in it, so that no post appears twice.', 'copydesk' ) );
		}
		return self::result( 'copydesk_table', 'critical', __( 'Copydesk’s table is missing', 'copydesk' ), __( 'Without it, Copydesk cannot publish. Deactivate the plugin and activate it again; if the table is still missing, the database user may not create tables: ask your host.', 'copydesk' ) );
	}

	public static function test_cron(): array {
		$next = wp_next_scheduled( 'copydesk_run' );
		$last = Copydesk_Admin::last_run_time();
		if ( ! $next ) {
			return self::result( 'copydesk_cron', 'critical', __( 'Copydesk’s runs are not scheduled', 'copydesk' ), __( 'Deactivate the plugin and activate it again.', 'copydesk' ) );
		}
		$is_off  = defined( 'DISABLE_WP_CRON' ) && DISABLE_WP_CRON;
		$is_late = $next < time() - HOUR_IN_SECONDS;
		if ( $is_late && $is_off ) {
			return self::result( 'copydesk_cron', 'recommended', __( 'Copydesk’s runs are late', 'copydesk' ), __( 'WordPress’s scheduler is switched off (DISABLE_WP_CRON), and nothing else calls wp-cron.php. Set up a cron job at your host that does so every 15 minutes.', 'copydesk' ) );
		}
		if ( $is_late ) {
			return self::result( 'copydesk_cron', 'recommended', __( 'Copydesk’s runs are late', 'copydesk' ), __( 'WordPress runs scheduled events only when the site has visitors. For posts at fixed times, set up a cron job at your host that calls wp-cron.php every 15 minutes.', 'copydesk' ) );
		}
		/* translators: %s: a span of time such as "5 minutes". */
		$said = $last ? sprintf( __( 'The last run was %s ago.', 'copydesk' ), Copydesk_Admin::span( $last ) ) : __( 'The first run is due within 15 minutes.', 'copydesk' );
		return self::result( 'copydesk_cron', 'good', __( 'Copydesk runs on schedule', 'copydesk' ), $said );
	}

	public static function test_posts(): array {
		$settings = Copydesk_Settings::get();
		$author   = $settings['author'];
		if ( ! $author || ! user_can( $author, 'edit_posts' ) ) {
			return self::result( 'copydesk_posts', 'critical', __( 'Copydesk has no author for its posts', 'copydesk' ), __( 'Choose a user who can write posts as the author.', 'copydesk' ), self::settings_link() );
		}
		if ( in_array( $settings['status'], array( 'publish', 'schedule' ), true ) && ! user_can( $author, 'publish_posts' ) ) {
			return self::result( 'copydesk_posts', 'recommended', __( 'The author of Copydesk’s posts cannot publish', 'copydesk' ), __( 'Copydesk publishes posts in the name of a user who may only write drafts. Choose an author with the role Author or Editor, or let new posts wait for review.', 'copydesk' ), self::settings_link() );
		}
		return self::result( 'copydesk_posts', 'good', __( 'Copydesk can write posts', 'copydesk' ), __( 'The chosen author exists and has the necessary rights.', 'copydesk' ) );
	}

	private static function settings_link(): string {
		if ( ! current_user_can( Copydesk_Admin::MAY_SET ) ) {
			return '';
		}
		return sprintf( '<p><a href="%s">%s</a></p>', esc_url( Copydesk_Admin::url( Copydesk_Admin::SETTINGS ) ), esc_html__( 'Open Copydesk’s settings', 'copydesk' ) );
	}

	private static function result( string $test, string $status, string $label, string $description, string $actions = '' ): array {
		return array(
			'label'       => $label,
			'status'      => $status,
			'badge'       => array(
				'label' => __( 'Copydesk', 'copydesk' ),
				'color' => 'blue',
			),
			'description' => '<p>' . esc_html( $description ) . '</p>',
			'actions'     => $actions,
			'test'        => $test,
		);
	}
}
