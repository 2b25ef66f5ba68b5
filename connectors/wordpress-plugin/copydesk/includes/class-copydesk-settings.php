<?php
/**
 * The settings of the plugin: what is stored, what is accepted, and what applies to one item.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

final class Copydesk_Settings {
	const OPTION     = 'copydesk_settings';
	const MAX_ROUTES = 50;
	const MAX_VALUE  = 200;
	const MAX_TAGS   = 20;
	const MAX_TIMES  = 24;
	const MAX_JITTER = 180;
	const MAX_URL    = 2000;

	/** The words that a setting can have; the first one is the default. */
	const CHOICES = array(
		'status' => array( 'draft', 'publish', 'pending', 'schedule' ),
		'format' => array( 'blocks', 'html' ),
		'image'  => array( 'none', 'library' ),
		'seo'    => array( 'auto', 'none' ),
	);

	/** Settings that are on or off, and how they start. */
	const SWITCHES = array(
		'disclosure' => false,
		'offers'     => false,
		'json_ld'    => true,
		'links'      => true,
	);

	const SCHEDULE = array(
		'days'    => array( 1, 2, 3, 4, 5 ),
		'times'   => array( '09:00' ),
		'per_day' => 1,
		'jitter'  => 0,
	);

	public static function boot(): void {
		add_action( 'admin_init', array( __CLASS__, 'register' ) );
	}

	/** Let the settings page store the option, checked. */
	public static function register(): void {
		register_setting(
			self::OPTION,
			self::OPTION,
			array(
				'type'              => 'object',
				'sanitize_callback' => array( __CLASS__, 'sanitize' ),
				'show_in_rest'      => false,
			)
		);
		if ( false === get_option( self::OPTION ) ) {
			// WordPress would add it as one that every request loads.
			add_option( self::OPTION, array(), '', false );
		}
	}

	/** All settings, whatever is stored. The feed URL of wp-config.php takes precedence. */
	public static function get(): array {
		$stored   = get_option( self::OPTION );
		$settings = self::shaped( is_array( $stored ) ? $stored : array(), self::defaults() );
		if ( self::is_fixed() ) {
			$settings['feed_url'] = trim( COPYDESK_FEED_URL );
		}
		if ( ! self::may_write( $settings['author'] ) ) {
			$settings['author'] = self::first_author();
		}
		return $settings;
	}

	public static function has_feed(): bool {
		return '' !== self::get()['feed_url'];
	}

	/** Whether wp-config.php sets the feed URL. */
	public static function is_fixed(): bool {
		return defined( 'COPYDESK_FEED_URL' ) && is_string( COPYDESK_FEED_URL ) && '' !== trim( COPYDESK_FEED_URL );
	}

	public static function defaults(): array {
		$defaults = array( 'feed_url' => '' );
		foreach ( self::CHOICES as $key => $words ) {
			$defaults[ $key ] = $words[0];
		}
		return $defaults + self::SWITCHES + array(
			'author'   => 0,
			'schedule' => self::SCHEDULE,
			'routes'   => array(),
		);
	}

	/**
	 * The settings of one item: those of the site, overlaid by the first route that matches.
	 *
	 * @param array $item The item as the feed sent it.
	 * @return array status, author, categories, tags, schedule, format, image, disclosure, offers, json_ld, seo, links.
	 */
	public static function route( array $item ): array {
		$settings = self::get();
		$route    = array_diff_key( $settings, array_flip( array( 'feed_url', 'routes' ) ) );
		$route   += array(
			'categories' => array(),
			'tags'       => array(),
		);
		foreach ( $settings['routes'] as $one ) {
			if ( self::matches( $one, $item ) ) {
				$route['categories'] = array_values( array_filter( $one['categories'], array( __CLASS__, 'is_category' ) ) );
				$route['tags']       = $one['tags'];
				$route['status']     = '' === $one['status'] ? $route['status'] : $one['status'];
				$route['author']     = self::may_write( $one['author'] ) ? $one['author'] : $route['author'];
				$route['schedule']   = null === $one['schedule'] ? $route['schedule'] : $one['schedule'];
				break;
			}
		}
		return $route;
	}

	/** Whether a route applies to an item. */
	private static function matches( array $route, array $item ): bool {
		foreach ( 'rule' === $route['match'] ? self::rule_of( $item ) : self::keywords_of( $item ) as $text ) {
			if ( self::is_like( $text, $route['value'] ) ) {
				return true;
			}
		}
		return false;
	}

	/** @return string[] */
	private static function rule_of( array $item ): array {
		return isset( $item['ruleName'] ) && is_string( $item['ruleName'] ) ? array( $item['ruleName'] ) : array();
	}

	/** The primary keyword of a post and those that it covers. @return string[] */
	private static function keywords_of( array $item ): array {
		$post     = isset( $item['post'] ) && is_array( $item['post'] ) ? $item['post'] : array();
		$keywords = array( $post['meta']['primaryKeyword'] ?? '' );
		$covered  = $post['coverageNotes']['keywordCoverage'] ?? array();
		foreach ( is_array( $covered ) ? array_slice( $covered, 0, 200 ) : array() as $one ) {
			$keywords[] = is_array( $one ) ? ( $one['keyword'] ?? '' ) : '';
		}
		return array_filter( $keywords, 'is_string' );
	}

	/**
	 * Whether a text is like a pattern in which * stands for any text. Linear: each part is looked
	 * for once, from the left, so that no pattern of many * takes long.
	 */
	private static function is_like( string $text, string $pattern ): bool {
		$text  = self::folded( $text );
		$parts = explode( '*', self::folded( $pattern ) );
		$first = array_shift( $parts );
		if ( ! $parts ) {
			return $text === $first;
		}
		$last = array_pop( $parts );
		if ( 0 !== strncmp( $text, $first, strlen( $first ) ) ) {
			return false;
		}
		$at = strlen( $first );
		foreach ( $parts as $part ) {
			$found = '' === $part ? $at : strpos( $text, $part, $at );
			if ( false === $found ) {
				return false;
			}
			$at = $found + strlen( $part );
		}
		return strlen( $text ) - strlen( $last ) >= $at && ( '' === $last || substr( $text, -strlen( $last ) ) === $last );
	}

	private static function folded( string $text ): string {
		$text = trim( (string) preg_replace( '/\s+/', ' ', mb_substr( $text, 0, 500 ) ) );
		return function_exists( 'mb_strtolower' ) ? mb_strtolower( $text, 'UTF-8' ) : strtolower( $text );
	}

	/**
	 * What to store for a form that was sent. A value that cannot be is left as it was before, and a
	 * sentence says why. Given what it returned, it returns the same.
	 *
	 * @param mixed $input The form's fields, or the settings themselves.
	 */
	public static function sanitize( $input ): array {
		$stored = get_option( self::OPTION );
		$old    = self::shaped( is_array( $stored ) ? $stored : array(), self::defaults() );
		if ( ! is_array( $input ) ) {
			self::complain( 'form', __( 'The settings were not saved: the form did not arrive. Please try again.', 'copydesk' ) );
			return $old;
		}
		if ( isset( $input['form'] ) && ! isset( $input['complete'] ) ) {
			self::complain( 'form', __( 'The settings were not saved: this server accepts fewer form fields than the page has. Ask your host to raise max_input_vars in PHP, or use fewer routes.', 'copydesk' ) );
			return $old;
		}
		$new             = self::shaped( $input, $old, array( __CLASS__, 'complain' ) );
		$new['feed_url'] = self::feed_url( $input, $old['feed_url'] );
		if ( $new['author'] && $new['author'] !== $old['author'] && ! self::may_write( $new['author'] ) ) {
			self::complain( 'author', __( 'Author: this user cannot write posts on this site. Choose another one.', 'copydesk' ) );
			$new['author'] = $old['author'];
		}
		return $new;
	}

	/** The feed URL to store. No message of it holds any part of what was sent. */
	private static function feed_url( array $input, string $old ): string {
		$is_form = isset( $input['form'] );
		if ( $is_form && ! empty( $input['forget_feed'] ) ) {
			return '';
		}
		$url = isset( $input['feed_url'] ) ? $input['feed_url'] : $old;
		$url = is_string( $url ) ? trim( $url ) : '';
		if ( '' === $url ) {
			return $is_form ? $old : '';
		}
		$problem = self::problem_of_url( $url );
		if ( $problem ) {
			self::complain( 'feed_url', $problem );
			return $old;
		}
		return $url;
	}

	/** What is wrong with a feed URL, as a sentence; "" for nothing. */
	private static function problem_of_url( string $url ): string {
		$parts = strlen( $url ) <= self::MAX_URL && ! preg_match( '/[\s\x00-\x1f\x7f<>"\\\\]/', $url ) ? wp_parse_url( $url ) : false;
		if ( ! $parts || empty( $parts['host'] ) || isset( $parts['user'] ) || isset( $parts['pass'] ) || isset( $parts['fragment'] ) || isset( $parts['query'] )
			|| ! preg_match( '~/v1/content-tokens/[\w.\~%-]+(?:/(?:latest|items))?/?$~', $parts['path'] ?? '' ) ) {
			return __( 'Feed URL: this is not the address of a feed. It looks like https://copydesk.example.com/v1/content-tokens/…/latest. Copy the whole address from the message in which you received it.', 'copydesk' );
		}
		$scheme   = strtolower( $parts['scheme'] ?? '' );
		$is_local = 'local' === wp_get_environment_type() && 'http' === $scheme;
		if ( 'https' !== $scheme && ! $is_local ) {
			return __( 'Feed URL: it must begin with https://, because the address is a password and http sends it unencrypted.', 'copydesk' );
		}
		return '';
	}

	/**
	 * Settings of the right form: a value of $input where it is possible, else that of $old.
	 *
	 * @param callable|null $complain Called with a field and a sentence for what is not possible.
	 */
	private static function shaped( array $input, array $old, ?callable $complain = null ): array {
		$complain = $complain ? $complain : static function () {};
		$new      = array( 'feed_url' => isset( $input['feed_url'] ) && is_string( $input['feed_url'] ) ? $input['feed_url'] : $old['feed_url'] );
		foreach ( self::CHOICES as $key => $words ) {
			$value = $input[ $key ] ?? $old[ $key ];
			if ( ! in_array( $value, $words, true ) ) {
				/* translators: 1: name of a setting, 2: the words it can have. */
				$complain( $key, sprintf( __( '%1$s must be one of: %2$s.', 'copydesk' ), $key, implode( ', ', $words ) ) );
				$value = $old[ $key ];
			}
			$new[ $key ] = $value;
		}
		foreach ( array_keys( self::SWITCHES ) as $key ) {
			$new[ $key ] = isset( $input[ $key ] ) ? (bool) $input[ $key ] : $old[ $key ];
		}
		$new['author']   = self::number( $input['author'] ?? $old['author'] );
		$new['schedule'] = self::schedule( $input['schedule'] ?? $old['schedule'], $old['schedule'], __( 'Schedule', 'copydesk' ), $complain );
		$new['routes']   = self::routes( $input['routes'] ?? $old['routes'], $old['routes'], $complain );
		return $new;
	}

	private static function schedule( $input, array $old, string $where, callable $complain ): array {
		$input = is_array( $input ) ? $input : array();
		$days  = $input['days'] ?? $old['days'];
		$days  = array_values( array_intersect( range( 1, 7 ), array_map( array( __CLASS__, 'number' ), is_array( $days ) ? $days : array() ) ) );
		if ( ! $days ) {
			/* translators: %s: the schedule that is meant. */
			$complain( 'schedule', sprintf( __( '%s: choose at least one day.', 'copydesk' ), $where ) );
			$days = $old['days'];
		}
		$times = $input['times'] ?? $old['times'];
		$times = is_array( $times ) ? array_filter( $times, 'is_string' ) : preg_split( '/[\s,;]+/', is_string( $times ) ? $times : '', -1, PREG_SPLIT_NO_EMPTY );
		$valid = array();
		$wrong = ! $times || count( $times ) > self::MAX_TIMES;
		foreach ( array_slice( $times, 0, self::MAX_TIMES ) as $time ) {
			if ( preg_match( '/^([01]?\d|2[0-3])[:.]([0-5]\d)$/', $time, $parts ) ) {
				$valid[] = sprintf( '%02d:%s', $parts[1], $parts[2] );
			} else {
				$wrong = true;
			}
		}
		$valid = array_values( array_unique( $valid ) );
		sort( $valid );
		if ( $wrong ) {
			/* translators: 1: the schedule that is meant, 2: a number. */
			$complain( 'schedule', sprintf( __( '%1$s: write 1 to %2$d times of day such as 09:00, 15:30, separated by commas.', 'copydesk' ), $where, self::MAX_TIMES ) );
			$valid = $old['times'];
		}
		$per_day = self::bounded( $input['per_day'] ?? $old['per_day'], 1, self::MAX_TIMES );
		if ( null === $per_day ) {
			/* translators: 1: the schedule that is meant, 2: a number. */
			$complain( 'schedule', sprintf( __( '%1$s: posts per day must be a number from 1 to %2$d.', 'copydesk' ), $where, self::MAX_TIMES ) );
			$per_day = $old['per_day'];
		}
		$jitter = self::bounded( $input['jitter'] ?? $old['jitter'], 0, self::MAX_JITTER );
		if ( null === $jitter ) {
			/* translators: 1: the schedule that is meant, 2: a number. */
			$complain( 'schedule', sprintf( __( '%1$s: the random delay must be a number of minutes from 0 to %2$d.', 'copydesk' ), $where, self::MAX_JITTER ) );
			$jitter = $old['jitter'];
		}
		return array(
			'days'    => $days,
			'times'   => $valid,
			'per_day' => $per_day,
			'jitter'  => $jitter,
		);
	}

	/** A route with a mistake stays as it was before; a new one with a mistake is not stored. */
	private static function routes( $input, array $old, callable $complain ): array {
		$routes = array();
		foreach ( self::in_order( is_array( $input ) ? $input : array() ) as $number => $one ) {
			if ( ! is_array( $one ) || ! empty( $one['remove'] ) ) {
				continue;
			}
			$was   = isset( $one['was'] ) ? ( $old[ self::number( $one['was'] ) ] ?? null ) : null;
			$wrong = false;
			$say   = static function ( string $field, string $sentence ) use ( $complain, &$wrong ) {
				$wrong = true;
				$complain( $field, $sentence );
			};
			/* translators: %d: the number of a route in the list. */
			$route = self::one_route( $one, (bool) $was, sprintf( __( 'Route %d', 'copydesk' ), $number + 1 ), $say );
			$route = $wrong ? $was : $route;
			if ( $route && count( $routes ) >= self::MAX_ROUTES ) {
				/* translators: %d: a number. */
				$complain( 'routes', sprintf( __( 'Routes: only %d are possible. The ones after that were not saved. Use * to cover several keywords with one route.', 'copydesk' ), self::MAX_ROUTES ) );
				break;
			}
			if ( $route ) {
				$routes[] = $route;
			}
		}
		return $routes;
	}

	/** A route as it is stored; null for one that says nothing. */
	private static function one_route( array $one, bool $is_known, string $where, callable $complain ): ?array {
		$value = isset( $one['value'] ) && is_string( $one['value'] ) ? sanitize_text_field( $one['value'] ) : '';
		if ( '' === $value ) {
			if ( $is_known ) {
				/* translators: %s: the route that is meant. */
				$complain( 'routes', sprintf( __( '%s: write a rule or a keyword, or choose “Remove this route”.', 'copydesk' ), $where ) );
			}
			return null;
		}
		if ( mb_strlen( $value ) > self::MAX_VALUE ) {
			/* translators: 1: the route that is meant, 2: a number. */
			$complain( 'routes', sprintf( __( '%1$s: the rule or keyword must not be longer than %2$d characters.', 'copydesk' ), $where, self::MAX_VALUE ) );
			return null;
		}
		$status   = $one['status'] ?? '';
		$schedule = $one['schedule'] ?? null;
		$is_own   = is_array( $schedule ) && ( ! array_key_exists( 'own', $schedule ) || ! empty( $schedule['own'] ) );
		return array(
			'match'      => isset( $one['match'] ) && 'keyword' === $one['match'] ? 'keyword' : 'rule',
			'value'      => $value,
			'categories' => self::terms( $one['categories'] ?? array() ),
			'tags'       => self::tags( $one['tags'] ?? array(), $where, $complain ),
			'author'     => self::number( $one['author'] ?? 0 ),
			'status'     => in_array( $status, self::CHOICES['status'], true ) ? $status : '',
			'schedule'   => $is_own ? self::schedule( $schedule, self::SCHEDULE, $where, $complain ) : null,
		);
	}

	/** Routes in the order of the positions that a form gives them; others stay where they are. */
	private static function in_order( array $routes ): array {
		$ranked = array();
		foreach ( array_values( $routes ) as $number => $one ) {
			$position = is_array( $one ) ? self::number( $one['position'] ?? 0 ) : 0;
			$ranked[] = array( $position ? $position : $number + 1, $number, $one );
		}
		sort( $ranked );
		return array_column( $ranked, 2 );
	}

	/** @return int[] The ids of categories. */
	private static function terms( $input ): array {
		return array_values( array_unique( array_filter( array_map( array( __CLASS__, 'number' ), is_array( $input ) ? $input : array() ) ) ) );
	}

	/** @return string[] The names of tags. */
	private static function tags( $input, string $where, callable $complain ): array {
		$tags = is_array( $input ) ? array_filter( $input, 'is_string' ) : explode( ',', is_string( $input ) ? $input : '' );
		$tags = array_values( array_unique( array_filter( array_map( 'sanitize_text_field', $tags ), 'strlen' ) ) );
		$fit  = array_filter(
			$tags,
			static function ( $tag ) {
				return mb_strlen( _wp_specialchars( $tag ) ) <= self::MAX_VALUE; // WordPress stores HTML.
			}
		);
		if ( count( $fit ) < count( $tags ) || count( $fit ) > self::MAX_TAGS ) {
			/* translators: 1: the route that is meant, 2: a number of tags, 3: a number of characters. */
			$complain( 'routes', sprintf( __( '%1$s: at most %2$d tags of up to %3$d characters are possible.', 'copydesk' ), $where, self::MAX_TAGS, self::MAX_VALUE ) );
		}
		return array_slice( array_values( $fit ), 0, self::MAX_TAGS );
	}

	/** A whole number of at least 0; 0 for anything else. */
	private static function number( $value ): int {
		return is_int( $value ) || is_string( $value ) && ctype_digit( $value ) && strlen( $value ) < 19 ? max( 0, (int) $value ) : 0;
	}

	private static function bounded( $value, int $least, int $most ): ?int {
		$is_number = is_int( $value ) || is_string( $value ) && ctype_digit( trim( $value ) ) && strlen( $value ) < 10;
		return $is_number && (int) $value >= $least && (int) $value <= $most ? (int) $value : null;
	}

	/** Whether a category that was chosen is still there. */
	private static function is_category( int $id ): bool {
		return (bool) term_exists( $id, 'category' );
	}

	private static function may_write( int $user ): bool {
		return $user && user_can( $user, 'edit_posts' );
	}

	/** Who writes until the owner chooses somebody: the oldest administrator of the site. */
	private static function first_author(): int {
		$ids = get_users(
			array(
				'role'    => 'administrator',
				'orderby' => 'ID',
				'number'  => 1,
				'fields'  => 'ID',
			)
		);
		return $ids ? (int) $ids[0] : 0;
	}

	/** Say below the heading of the page, once, what could not be saved. */
	private static function complain( string $field, string $sentence ): void {
		if ( ! function_exists( 'add_settings_error' ) ) {
			return;
		}
		foreach ( get_settings_errors( self::OPTION ) as $said ) {
			if ( $said['message'] === $sentence ) {
				return; // WordPress checks a new option twice.
			}
		}
		add_settings_error( self::OPTION, $field, $sentence );
	}
}
