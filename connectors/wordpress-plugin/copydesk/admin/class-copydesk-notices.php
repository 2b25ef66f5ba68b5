<?php
/**
 * One sentence for each thing that is wrong, where the people see it who can do something about it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

final class Copydesk_Notices {
	/** How long no run may be a coincidence: a small site can have no visitor for hours. */
	const SILENCE = DAY_IN_SECONDS;

	public static function boot(): void {
		add_action( 'admin_notices', array( __CLASS__, 'show' ) );
	}

	/**
	 * What is wrong now.
	 *
	 * @return array<string, array{sentence: string, link: string, url: string}>
	 */
	public static function problems(): array {
		$problems = array();
		$settings = Copydesk_Admin::url( Copydesk_Admin::SETTINGS );
		$items    = Copydesk_Admin::url( Copydesk_Admin::ITEMS );
		$may_set  = current_user_can( Copydesk_Admin::MAY_SET );
		if ( ! Copydesk_Settings::has_feed() ) {
			if ( $may_set ) {
				$problems['no_feed'] = self::problem( __( 'Copydesk is active, but does not know your feed yet.', 'copydesk' ), __( 'Enter the feed URL', 'copydesk' ), $settings );
			}
			return $problems;
		}
		$run  = get_option( 'copydesk_last_run' );
		$time = Copydesk_Admin::last_run_time();
		$said = is_array( $run ) && ! empty( $run['problems'] ) && is_array( $run['problems'] ) ? (string) reset( $run['problems'] ) : '';
		// Where nothing has run yet, the run that is overdue says since when.
		$time = $time ? $time : (int) wp_next_scheduled( 'copydesk_run' );
		$late = $time && time() - $time > self::SILENCE;
		if ( $late && defined( 'DISABLE_WP_CRON' ) && DISABLE_WP_CRON ) {
			/* translators: %s: a span of time such as "2 days". */
			$sentence         = sprintf( __( 'Copydesk has fetched no posts for %s: WordPress’s scheduler is switched off (DISABLE_WP_CRON), and nothing else calls wp-cron.php. Set up a cron job at your host that does so every 15 minutes.', 'copydesk' ), Copydesk_Admin::span( $time ) );
			$problems['late'] = self::problem( $sentence, __( 'Show the posts', 'copydesk' ), $items );
		} elseif ( $late ) {
			/* translators: %s: a span of time such as "2 days". */
			$sentence         = sprintf( __( 'Copydesk has fetched no posts for %s, although it should look every 15 minutes. WordPress runs scheduled events only when the site has visitors.', 'copydesk' ), Copydesk_Admin::span( $time ) );
			$problems['late'] = self::problem( $sentence, __( 'Show the posts', 'copydesk' ), $items );
		}
		if ( '' !== $said ) {
			/* translators: %s: a sentence. */
			$sentence         = sprintf( __( 'Copydesk’s last run had a problem: %s', 'copydesk' ), $said );
			$problems['feed'] = self::problem( $sentence, $may_set ? __( 'Check the settings', 'copydesk' ) : __( 'Show the posts', 'copydesk' ), $may_set ? $settings : $items );
		}
		$counts = Copydesk_Items::counts();
		$parked = (int) ( $counts['parked'] ?? 0 );
		if ( $parked ) {
			/* translators: %d: a number of posts. */
			$sentence           = sprintf( _n( '%d Copydesk post stopped after errors.', '%d Copydesk posts stopped after errors.', $parked, 'copydesk' ), $parked );
			$problems['parked'] = self::problem( $sentence, __( 'Show why', 'copydesk' ), Copydesk_Admin::url( Copydesk_Admin::ITEMS, array( 'state' => 'parked' ) ) );
		}
		return $problems;
	}

	private static function problem( string $sentence, string $link, string $url ): array {
		return array(
			'sentence' => $sentence,
			'link'     => $link,
			'url'      => $url,
		);
	}

	/** Print them: on the dashboard, the page of plugins and our own. */
	public static function show(): void {
		$screen = get_current_screen();
		if ( ! $screen || ! current_user_can( Copydesk_Admin::MAY_ACT )
			|| ! ( in_array( $screen->id, array( 'dashboard', 'plugins' ), true ) || Copydesk_Admin::is_ours( $screen->id ) ) ) {
			return;
		}
		$problems = self::problems();
		$here     = '';
		if ( Copydesk_Admin::is_ours( $screen->id ) ) {
			// These pages say it themselves.
			unset( $problems['no_feed'] );
			if ( 'toplevel_page_' . Copydesk_Admin::ITEMS === $screen->id ) {
				unset( $problems['feed'] );
				$here = Copydesk_Admin::url( Copydesk_Admin::ITEMS );
			}
		}
		foreach ( $problems as $problem ) {
			echo '<div class="notice notice-warning is-dismissible copydesk-notice"><p>', esc_html( $problem['sentence'] );
			if ( $here !== $problem['url'] ) {
				printf( ' <a href="%s">%s</a>', esc_url( $problem['url'] ), esc_html( $problem['link'] ) );
			}
			echo '</p></div>';
		}
	}
}
