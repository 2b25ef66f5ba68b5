<?php
/**
 * The menu of the plugin, and what its pages share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

final class Copydesk_Admin {
	const ITEMS    = 'copydesk';
	const SETTINGS = 'copydesk-settings';

	/** Who may see the posts and act on them. */
	const MAY_ACT = 'edit_others_posts';

	/** Who may change settings. */
	const MAY_SET = 'manage_options';

	public static function boot(): void {
		if ( ! is_admin() && ! wp_doing_cron() ) {
			return;
		}
		foreach ( array( 'feed-check', 'items-page', 'settings-page', 'notices' ) as $part ) {
			require_once __DIR__ . "/class-copydesk-$part.php";
		}
		Copydesk_Items_Page::boot();
		Copydesk_Settings_Page::boot();
		Copydesk_Notices::boot();
		add_action( 'admin_menu', array( __CLASS__, 'add_menu' ) );
		add_action( 'admin_init', array( __CLASS__, 'add_privacy_text' ) );
		add_action( 'admin_enqueue_scripts', array( __CLASS__, 'add_assets' ) );
		add_filter( 'plugin_action_links_' . plugin_basename( COPYDESK_FILE ), array( __CLASS__, 'add_settings_link' ) );
	}

	public static function add_menu(): void {
		add_menu_page( __( 'Copydesk', 'copydesk' ), __( 'Copydesk', 'copydesk' ), self::MAY_ACT, self::ITEMS, array( 'Copydesk_Items_Page', 'show' ), 'dashicons-media-document', 26 );
		$items    = add_submenu_page( self::ITEMS, __( 'Copydesk posts', 'copydesk' ), __( 'Posts', 'copydesk' ), self::MAY_ACT, self::ITEMS, array( 'Copydesk_Items_Page', 'show' ) );
		$settings = add_submenu_page( self::ITEMS, __( 'Copydesk settings', 'copydesk' ), __( 'Settings', 'copydesk' ), self::MAY_SET, self::SETTINGS, array( 'Copydesk_Settings_Page', 'show' ) );
		add_action( "load-$items", array( 'Copydesk_Items_Page', 'load' ) );
		add_action( "load-$settings", array( 'Copydesk_Settings_Page', 'load' ) );
	}

	/** The address of one of our pages. */
	public static function url( string $page, array $query = array() ): string {
		return add_query_arg( array( 'page' => $page ) + $query, admin_url( 'admin.php' ) );
	}

	public static function add_assets( string $screen ): void {
		if ( ! self::is_ours( $screen ) ) {
			return;
		}
		wp_enqueue_style( 'copydesk', plugins_url( 'admin/copydesk.css', COPYDESK_FILE ), array(), COPYDESK_VERSION );
		wp_enqueue_script( 'copydesk', plugins_url( 'admin/copydesk.js', COPYDESK_FILE ), array( 'wp-a11y' ), COPYDESK_VERSION, true );
		$words = array(
			'reject'  => __( 'Reject this post? It will not be published, and the feed is told.', 'copydesk' ),
			'never'   => __( 'Never publish this post? Its draft goes to the trash. This cannot be undone.', 'copydesk' ),
			'bulk'    => __( 'Do this with all selected posts? They will not be published, and their drafts go to the trash.', 'copydesk' ),
			'running' => __( 'Running …', 'copydesk' ),
			'added'   => __( 'Route added.', 'copydesk' ),
			'add'     => __( 'Add a route', 'copydesk' ),
		);
		wp_add_inline_script( 'copydesk', 'var copydeskWords = ' . wp_json_encode( $words, JSON_HEX_TAG | JSON_HEX_AMP ) . ';', 'before' );
	}

	/** Whether a screen's id is that of one of our pages. */
	public static function is_ours( string $screen ): bool {
		return 'toplevel_page_' . self::ITEMS === $screen || '_page_' . self::SETTINGS === substr( $screen, -strlen( '_page_' . self::SETTINGS ) );
	}

	/** @param string[] $links */
	public static function add_settings_link( array $links ): array {
		if ( current_user_can( self::MAY_SET ) ) {
			$link = sprintf( '<a href="%s">%s</a>', esc_url( self::url( self::SETTINGS ) ), esc_html__( 'Settings', 'copydesk' ) );
			array_unshift( $links, $link );
		}
		return $links;
	}

	/** What the guide under Settings → Privacy proposes. */
	public static function add_privacy_text(): void {
		$sentences = array(
			__( 'Copydesk fetches posts from a feed and publishes them on this site. It calls the server of the feed and tells it which posts were published or rejected. That server sees the IP address of this site’s server, never a visitor’s.', 'copydesk' ),
			__( 'Copydesk stores no personal data of visitors, sets no cookies and loads nothing from other servers into the pages of this site.', 'copydesk' ),
			__( 'The text of a received post is kept for 30 days after the post is published or rejected, then deleted. Published posts stay.', 'copydesk' ),
		);
		wp_add_privacy_policy_content( __( 'Copydesk', 'copydesk' ), wp_kses_post( wpautop( implode( "\n\n", $sentences ), false ) ) );
	}

	/** A moment of the database (UTC) in the site's time zone and format, as HTML. */
	public static function moment( ?string $utc ): string {
		$time = $utc ? strtotime( $utc . ' UTC' ) : false;
		if ( false === $time || $time <= 0 ) {
			return '';
		}
		/* translators: 1: a date, 2: a time of day. */
		$shown = sprintf( __( '%1$s, %2$s', 'copydesk' ), wp_date( get_option( 'date_format' ), $time ), wp_date( get_option( 'time_format' ), $time ) );
		return sprintf( '<time datetime="%s">%s</time>', esc_attr( gmdate( 'Y-m-d\TH:i:s\Z', $time ) ), esc_html( $shown ) );
	}

	/** How long ago or ahead a time is, as words such as "5 minutes". */
	public static function span( int $time ): string {
		return human_time_diff( $time, time() );
	}

	/** The time of the last run, 0 for none. */
	public static function last_run_time(): int {
		$run = get_option( 'copydesk_last_run' );
		$at  = is_array( $run ) ? ( $run['at'] ?? 0 ) : 0;
		return is_numeric( $at ) ? (int) $at : (int) strtotime( $at . ' UTC' );
	}

	/** A sentence for people to read once, on the next page that they see. */
	public static function say( string $kind, string $sentence ): void {
		$name   = 'copydesk_said_' . get_current_user_id();
		$said   = get_transient( $name );
		$said   = is_array( $said ) ? $said : array();
		$said[] = array( $kind, $sentence );
		set_transient( $name, array_slice( $said, -20 ), HOUR_IN_SECONDS );
	}

	/** Print what was said to this user. */
	public static function print_said(): void {
		$name = 'copydesk_said_' . get_current_user_id();
		$said = get_transient( $name );
		if ( is_array( $said ) ) {
			delete_transient( $name );
			foreach ( $said as $one ) {
				self::print_notice( (string) $one[0], (string) $one[1] );
			}
		}
	}

	/** Print one notice. @param string $kind success, warning, error or info. */
	public static function print_notice( string $kind, string $sentence ): void {
		printf(
			'<div class="notice notice-%s" role="%s"><p>%s</p></div>',
			esc_attr( $kind ),
			'error' === $kind ? 'alert' : 'status',
			esc_html( $sentence )
		);
	}
}
