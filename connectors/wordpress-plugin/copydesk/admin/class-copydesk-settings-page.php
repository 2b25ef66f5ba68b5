<?php
/**
 * The page of the settings. WordPress's own options.php stores them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

final class Copydesk_Settings_Page {
	/** The name of the route that the form offers empty. */
	const NEW_ROUTE = 'new';

	public static function boot(): void {
		add_filter( 'option_page_capability_' . Copydesk_Settings::OPTION, array( __CLASS__, 'capability' ) );
	}

	/** Who may send the form. */
	public static function capability(): string {
		return Copydesk_Admin::MAY_SET;
	}

	public static function load(): void {
		get_current_screen()->add_help_tab(
			array(
				'id'      => 'copydesk-feed',
				'title'   => __( 'Feed URL', 'copydesk' ),
				'content' => '<p>' . esc_html__( 'The feed URL works like a password: whoever has it can take your posts. Copydesk stores it in this site’s database and never shows it. To keep it out of the database, set the constant COPYDESK_FEED_URL in wp-config.php.', 'copydesk' ) . '</p>',
			)
		);
	}

	public static function show(): void {
		if ( ! current_user_can( Copydesk_Admin::MAY_SET ) ) {
			wp_die( esc_html__( 'You are not allowed to change the Copydesk settings.', 'copydesk' ), '', array( 'response' => 403 ) );
		}
		$settings = Copydesk_Settings::get();
		echo '<div class="wrap copydesk"><h1>', esc_html__( 'Copydesk settings', 'copydesk' ), '</h1><hr class="wp-header-end">';
		self::show_results();
		// A browser cannot point at a wrong value where it is folded away; the server's sentence can.
		echo '<form method="post" action="', esc_url( admin_url( 'options.php' ) ), '" class="copydesk-settings" novalidate>';
		settings_fields( Copydesk_Settings::OPTION );
		self::hidden( 'form', '1' );
		echo '<h2>', esc_html__( 'Feed', 'copydesk' ), '</h2><table class="form-table" role="presentation">';
		self::show_feed( '' !== $settings['feed_url'] );
		self::show_status( $settings );
		echo '</table>';
		submit_button( __( 'Save', 'copydesk' ), 'primary', 'submit', true, array( 'id' => 'copydesk-save-first' ) );
		echo '<h2>', esc_html__( 'Posts', 'copydesk' ), '</h2><table class="form-table" role="presentation">';
		self::show_posts( $settings );
		echo '</table><h2>', esc_html__( 'Routes', 'copydesk' ), '</h2>';
		self::show_routes( $settings['routes'] );
		self::hidden( 'complete', '1' );
		submit_button( __( 'Save', 'copydesk' ) );
		echo '</form></div>';
	}

	/** What came of saving, and whether the feed answers. */
	private static function show_results(): void {
		$is_wrong = false;
		foreach ( get_settings_errors() as $said ) {
			if ( in_array( $said['setting'], array( Copydesk_Settings::OPTION, 'general' ), true ) ) {
				$is_wrong = $is_wrong || 'error' === $said['type'];
				Copydesk_Admin::print_notice( 'error' === $said['type'] ? 'error' : 'success', wp_strip_all_tags( $said['message'] ) );
			}
		}
		if ( $is_wrong ) {
			Copydesk_Admin::print_notice( 'info', __( 'The settings named above kept their earlier values, and new routes with mistakes were not saved. Everything else was saved.', 'copydesk' ) );
		}
		// phpcs:ignore WordPress.Security.NonceVerification -- a check changes nothing, here or at the feed.
		if ( ! ( isset( $_GET['settings-updated'] ) || isset( $_GET['check'] ) ) || ! Copydesk_Settings::has_feed() ) {
			return;
		}
		$found = Copydesk_Feed_Check::run();
		if ( is_wp_error( $found ) ) {
			Copydesk_Admin::print_notice( 'error', $found->get_error_message() );
			return;
		}
		echo '<div class="notice notice-success copydesk-answer" role="status"><p>', esc_html__( 'The feed responds.', 'copydesk' ), '</p>';
		echo '<form method="post" action="', esc_url( Copydesk_Admin::url( Copydesk_Admin::ITEMS ) ), '">';
		wp_nonce_field( Copydesk_Items_Page::NONCE_RUN, '_wpnonce', false );
		echo '<p><button class="button button-primary" name="copydesk_run" value="1">', esc_html__( 'Run now', 'copydesk' ), '</button> ';
		echo esc_html__( 'Otherwise Copydesk runs within 15 minutes.', 'copydesk' ), '</p></form></div>';
	}

	private static function show_feed( bool $is_saved ): void {
		$id   = 'copydesk-feed-url';
		$help = __( 'Looks like https://copydesk.example.com/v1/content-tokens/…/latest. It works like a password: it is not shown again after you save it.', 'copydesk' );
		if ( Copydesk_Settings::is_fixed() ) {
			self::row( __( 'Feed URL', 'copydesk' ), '', '<p>' . esc_html__( 'Set by COPYDESK_FEED_URL in wp-config.php.', 'copydesk' ) . ' ' . self::check_link() . '</p>' );
			return;
		}
		$field = sprintf(
			'<input type="url" class="large-text code" name="%s" id="%s" value="" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="%d" aria-describedby="%s">',
			esc_attr( self::name( 'feed_url' ) ),
			esc_attr( $id ),
			Copydesk_Settings::MAX_URL,
			esc_attr( "$id-help" )
		) . '<p class="description" id="' . esc_attr( "$id-help" ) . '">' . esc_html( $help ) . '</p>';
		if ( ! $is_saved ) {
			self::row( __( 'Feed URL', 'copydesk' ), $id, $field );
			return;
		}
		$html  = '<p>' . esc_html__( 'Saved. It is not shown, because it works like a password.', 'copydesk' ) . ' ' . self::check_link() . '</p>';
		$html .= '<details class="copydesk-replace"><summary>' . esc_html__( 'Replace', 'copydesk' ) . '</summary>';
		$html .= '<p><label for="' . esc_attr( $id ) . '">' . esc_html__( 'New feed URL', 'copydesk' ) . '</label></p>' . $field;
		$html .= '<p>' . self::checkbox( 'forget_feed', false, __( 'Remove the saved address and stop fetching posts', 'copydesk' ) ) . '</p></details>';
		self::row( __( 'Feed URL', 'copydesk' ), '', $html );
	}

	private static function check_link(): string {
		return sprintf( '<a href="%s">%s</a>', esc_url( Copydesk_Admin::url( Copydesk_Admin::SETTINGS, array( 'check' => '1' ) ) ), esc_html__( 'Test the feed', 'copydesk' ) );
	}

	private static function show_status( array $settings ): void {
		$html = '<fieldset><legend class="screen-reader-text">' . esc_html__( 'What happens to a new post', 'copydesk' ) . '</legend>';
		foreach ( self::statuses() as $status => $label ) {
			$html .= sprintf(
				'<label><input type="radio" name="%s" value="%s"%s> %s</label><br>',
				esc_attr( self::name( 'status' ) ),
				esc_attr( $status ),
				checked( $status, $settings['status'], false ),
				esc_html( $label )
			);
		}
		self::row( __( 'New posts', 'copydesk' ), '', $html . '</fieldset>' );
		self::row( __( 'Schedule', 'copydesk' ), '', self::schedule( $settings['schedule'], self::name( 'schedule' ), 'copydesk-schedule' ), 'copydesk-when-scheduled' );
	}

	/** @return array<string, string> */
	private static function statuses(): array {
		return array(
			'draft'    => __( 'Draft: you publish each post yourself', 'copydesk' ),
			'pending'  => __( 'Waiting for review', 'copydesk' ),
			'publish'  => __( 'Publish immediately', 'copydesk' ),
			'schedule' => __( 'Publish on a schedule', 'copydesk' ),
		);
	}

	private static function show_posts( array $settings ): void {
		self::row( __( 'Author', 'copydesk' ), 'copydesk-author', self::authors( 'author', $settings['author'], 'copydesk-author', '' ) );
		self::row(
			__( 'Format', 'copydesk' ),
			'copydesk-format',
			self::select(
				self::name( 'format' ),
				'copydesk-format',
				$settings['format'],
				array(
					'blocks' => __( 'Editor blocks', 'copydesk' ),
					'html'   => __( 'HTML, for the classic editor', 'copydesk' ),
				)
			)
		);
		self::row(
			__( 'Featured image', 'copydesk' ),
			'copydesk-image',
			self::select(
				self::name( 'image' ),
				'copydesk-image',
				$settings['image'],
				array(
					'none'    => __( 'None', 'copydesk' ),
					'library' => __( 'The media library image whose title fits best', 'copydesk' ),
				)
			) . '<p class="description">' . esc_html__( 'Copydesk sends texts only. The plugin does not create or download images.', 'copydesk' ) . '</p>'
		);
		self::row(
			__( 'SEO fields', 'copydesk' ),
			'copydesk-seo',
			self::select(
				self::name( 'seo' ),
				'copydesk-seo',
				$settings['seo'],
				array(
					'auto' => __( 'Fill in those of Yoast SEO or Rank Math, if one of them is active', 'copydesk' ),
					'none' => __( 'Leave them empty', 'copydesk' ),
				)
			)
		);
		$html = '<fieldset><legend class="screen-reader-text">' . esc_html__( 'In each post', 'copydesk' ) . '</legend>';
		foreach (
			array(
				'disclosure' => __( 'Show a notice that the post was written with AI', 'copydesk' ),
				'offers'     => __( 'Show below a post with offers that their links are paid', 'copydesk' ),
				'json_ld'    => __( 'Add structured data for search engines (JSON-LD)', 'copydesk' ),
				'links'      => __( 'Link to related posts on this site where the text allows it', 'copydesk' ),
			) as $key => $label
		) {
			$html .= self::checkbox( $key, $settings[ $key ], $label ) . '<br>';
		}
		self::row( __( 'In each post', 'copydesk' ), '', $html . '</fieldset>' );
	}

	private static function show_routes( array $routes ): void {
		echo '<p>', esc_html__( 'A route gives certain posts their own category, tags, author, status or schedule. The first route that matches a post applies. A * stands for any text: *espresso* matches every keyword that contains “espresso”.', 'copydesk' ), '</p>';
		self::hidden( 'routes', '' );
		echo '<div class="copydesk-routes">';
		foreach ( $routes as $number => $route ) {
			/* translators: %d: the number of a route in the list. */
			self::show_route( (string) $number, $number + 1, $route, sprintf( __( 'Route %d', 'copydesk' ), $number + 1 ) );
		}
		$empty = array(
			'match'      => 'rule',
			'value'      => '',
			'categories' => array(),
			'tags'       => array(),
			'author'     => 0,
			'status'     => '',
			'schedule'   => null,
		);
		self::show_route( self::NEW_ROUTE, count( $routes ) + 1, $empty, __( 'New route', 'copydesk' ) );
		echo '</div>';
	}

	private static function show_route( string $index, int $position, array $route, string $legend ): void {
		$name = self::name( 'routes' ) . "[$index]";
		$id   = "copydesk-route-$index";
		printf( '<fieldset class="copydesk-route" data-copydesk-route="%s"><legend>%s</legend>', esc_attr( $index ), esc_html( $legend ) );
		$match = self::select(
			$name . '[match]',
			"$id-match",
			$route['match'],
			array(
				'rule'    => __( 'the feed’s rule is', 'copydesk' ),
				'keyword' => __( 'a keyword is', 'copydesk' ),
			)
		);
		self::line( __( 'If', 'copydesk' ), "$id-match", $match );
		self::line(
			__( 'Rule or keyword', 'copydesk' ),
			"$id-value",
			self::text( $name . '[value]', "$id-value", $route['value'], Copydesk_Settings::MAX_VALUE )
		);
		self::line( __( 'Categories', 'copydesk' ), '', self::categories( $name . '[categories]', $route['categories'] ) );
		self::line( __( 'Tags, separated by commas', 'copydesk' ), "$id-tags", self::text( $name . '[tags]', "$id-tags", implode( ', ', $route['tags'] ), 5000 ) );
		self::line( __( 'Author', 'copydesk' ), "$id-author", self::authors( "routes][$index][author", $route['author'], "$id-author", __( 'As above', 'copydesk' ) ) );
		self::line( __( 'New posts', 'copydesk' ), "$id-status", self::select( $name . '[status]', "$id-status", $route['status'], array( '' => __( 'As above', 'copydesk' ) ) + self::statuses() ) );
		$schedule  = sprintf( '<input type="hidden" name="%1$s" value="0"><label><input type="checkbox" name="%1$s" value="1"%2$s> %3$s</label>', esc_attr( $name . '[schedule][own]' ), checked( null !== $route['schedule'], true, false ), esc_html__( 'These posts have a schedule of their own', 'copydesk' ) );
		$schedule .= '<div class="copydesk-own-schedule">' . self::schedule( $route['schedule'] ? $route['schedule'] : Copydesk_Settings::SCHEDULE, $name . '[schedule]', "$id-schedule" ) . '</div>';
		self::line( __( 'Schedule', 'copydesk' ), '', $schedule, 'copydesk-route-schedule' );
		self::line( __( 'Position', 'copydesk' ), "$id-position", self::field_number( $name . '[position]', "$id-position", $position, 1, Copydesk_Settings::MAX_ROUTES + 1 ) );
		if ( self::NEW_ROUTE !== $index ) {
			$remove  = sprintf( '<input type="hidden" name="%s" value="%s">', esc_attr( $name . '[was]' ), esc_attr( $index ) );
			$remove .= sprintf( '<label><input type="checkbox" name="%s" value="1"> %s</label>', esc_attr( $name . '[remove]' ), esc_html__( 'Remove this route', 'copydesk' ) );
			self::line( '', '', $remove );
		}
		echo '</fieldset>';
	}

	/** The fields of a schedule. */
	private static function schedule( array $schedule, string $name, string $id ): string {
		global $wp_locale;
		$html = '<fieldset class="copydesk-days"><legend>' . esc_html__( 'Days', 'copydesk' ) . '</legend><div class="copydesk-day-list">';
		foreach ( range( 1, 7 ) as $day ) {
			$html .= sprintf(
				'<label><input type="checkbox" name="%s" value="%d"%s> %s</label> ',
				esc_attr( $name . '[days][]' ),
				$day,
				checked( in_array( $day, $schedule['days'], true ), true, false ),
				esc_html( $wp_locale->get_weekday( $day % 7 ) )
			);
		}
		$html .= sprintf( '<input type="hidden" name="%s" value="0"></div></fieldset>', esc_attr( $name . '[days][]' ) );
		$zone  = wp_timezone_string();
		$zone  = preg_match( '/^[+-]/', $zone ) ? "UTC$zone" : $zone;
		$html .= '<p><label for="' . esc_attr( "$id-times" ) . '">' . esc_html__( 'Times of day, separated by commas', 'copydesk' ) . '</label> ';
		$html .= self::text( $name . '[times]', "$id-times", implode( ', ', $schedule['times'] ), 500, "$id-times-help" );
		/* translators: 1: a time zone, 2: the time there now. */
		$html .= '<span class="description" id="' . esc_attr( "$id-times-help" ) . '">' . esc_html( sprintf( __( 'In this site’s time zone, %1$s. It is %2$s there.', 'copydesk' ), $zone, wp_date( 'H:i' ) ) ) . '</span></p>';
		$html .= '<p><label for="' . esc_attr( "$id-per-day" ) . '">' . esc_html__( 'Maximum posts per day', 'copydesk' ) . '</label> ';
		$html .= self::field_number( $name . '[per_day]', "$id-per-day", $schedule['per_day'], 1, Copydesk_Settings::MAX_TIMES ) . '</p>';
		$html .= '<p><label for="' . esc_attr( "$id-jitter" ) . '">' . esc_html__( 'Random delay, in minutes', 'copydesk' ) . '</label> ';
		return $html . self::field_number( $name . '[jitter]', "$id-jitter", $schedule['jitter'], 0, Copydesk_Settings::MAX_JITTER ) . '</p>';
	}

	/** @param int[] $chosen */
	private static function categories( string $name, array $chosen ): string {
		$html  = sprintf( '<input type="hidden" name="%s" value="0"><fieldset class="copydesk-categories"><legend class="screen-reader-text">%s</legend>', esc_attr( $name . '[]' ), esc_html__( 'Categories', 'copydesk' ) );
		$terms = get_categories( array( 'hide_empty' => false ) );
		foreach ( $terms as $term ) {
			$html .= sprintf(
				'<label><input type="checkbox" name="%s" value="%d"%s> %s</label><br>',
				esc_attr( $name . '[]' ),
				$term->term_id,
				checked( in_array( $term->term_id, $chosen, true ), true, false ),
				esc_html( wp_specialchars_decode( $term->name, ENT_QUOTES ) )
			);
		}
		return $html . '</fieldset>';
	}

	private static function authors( string $key, int $chosen, string $id, string $nobody ): string {
		return (string) wp_dropdown_users(
			array(
				'name'              => self::name( $key ),
				'id'                => $id,
				'selected'          => $chosen,
				'capability'        => array( 'edit_posts' ),
				'show_option_none'  => $nobody,
				'option_none_value' => '0',
				'echo'              => false,
			)
		);
	}

	private static function select( string $name, string $id, string $chosen, array $options ): string {
		$html = sprintf( '<select name="%s" id="%s">', esc_attr( $name ), esc_attr( $id ) );
		foreach ( $options as $value => $label ) {
			$html .= sprintf( '<option value="%s"%s>%s</option>', esc_attr( $value ), selected( $value, $chosen, false ), esc_html( $label ) );
		}
		return $html . '</select>';
	}

	private static function checkbox( string $key, bool $is_on, string $label ): string {
		return sprintf(
			'<input type="hidden" name="%1$s" value="0"><label><input type="checkbox" name="%1$s" value="1"%2$s> %3$s</label>',
			esc_attr( self::name( $key ) ),
			checked( $is_on, true, false ),
			esc_html( $label )
		);
	}

	private static function text( string $name, string $id, string $value, int $most, string $help = '' ): string {
		return sprintf(
			'<input type="text" class="regular-text" name="%s" id="%s" value="%s" maxlength="%d"%s>',
			esc_attr( $name ),
			esc_attr( $id ),
			esc_attr( $value ),
			$most,
			'' === $help ? '' : ' aria-describedby="' . esc_attr( $help ) . '"'
		);
	}

	private static function field_number( string $name, string $id, int $value, int $least, int $most ): string {
		return sprintf( '<input type="number" class="small-text" name="%s" id="%s" value="%d" min="%d" max="%d">', esc_attr( $name ), esc_attr( $id ), $value, $least, $most );
	}

	private static function hidden( string $key, string $value ): void {
		printf( '<input type="hidden" name="%s" value="%s">', esc_attr( self::name( $key ) ), esc_attr( $value ) );
	}

	private static function name( string $key ): string {
		return Copydesk_Settings::OPTION . "[$key]";
	}

	/** Print a row of the table of a form; $html is escaped. */
	private static function row( string $label, string $for, string $html, string $classes = '' ): void {
		$head = '' === $for ? esc_html( $label ) : sprintf( '<label for="%s">%s</label>', esc_attr( $for ), esc_html( $label ) );
		// phpcs:ignore WordPress.Security.EscapeOutput.OutputNotEscaped
		printf( '<tr class="%s"><th scope="row">%s</th><td>%s</td></tr>', esc_attr( $classes ), $head, $html );
	}

	/** Print a line of a route; $html is escaped. */
	private static function line( string $label, string $for, string $html, string $classes = '' ): void {
		$head = '' === $for ? esc_html( $label ) : sprintf( '<label for="%s">%s</label>', esc_attr( $for ), esc_html( $label ) );
		// phpcs:ignore WordPress.Security.EscapeOutput.OutputNotEscaped
		printf( '<div class="copydesk-line %s"><div class="copydesk-label">%s</div><div>%s</div></div>', esc_attr( $classes ), $head, $html );
	}
}
