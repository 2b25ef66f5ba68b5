<?php
/**
 * The calls to the feed. Whoever knows the feed's address can take its posts, so no error holds it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

final class Copydesk_Feed {
	const TIMEOUT_S = 20;
	const MAX_BYTES = 16777216;
	const MAX_ITEMS = 100;

	/** The option with the time until which the feed asked to be left alone. */
	const WAIT     = 'copydesk_feed_wait';
	const MAX_WAIT = 21600;

	/** A hash of the feed's address, "" without one: what a row remembers of where it came from. */
	public static function fingerprint(): string {
		$base = self::base();
		return '' === $base ? '' : hash( 'sha256', $base );
	}

	/**
	 * The next item, alone.
	 *
	 * @return array|WP_Error A list of one item or of none.
	 */
	public static function latest() {
		$answer = self::call( 'GET', '/latest' );
		if ( is_wp_error( $answer ) ) {
			return $answer;
		}
		if ( false === ( $answer['available'] ?? null ) ) {
			return array();
		}
		return is_array( $answer['item'] ?? null ) ? array( $answer['item'] ) : self::strange();
	}

	/**
	 * All items that wait, up to a number.
	 *
	 * @return array|WP_Error A list of items.
	 */
	public static function items( int $limit = self::MAX_ITEMS ) {
		$answer = self::call( 'GET', '/items' );
		if ( is_wp_error( $answer ) ) {
			return $answer;
		}
		if ( ! is_array( $answer['items'] ?? null ) ) {
			return self::strange();
		}
		return array_slice( array_values( array_filter( $answer['items'], 'is_array' ) ), 0, $limit );
	}

	/** Say that the item has a post, and where readers see it; "" for nowhere yet. @return true|WP_Error */
	public static function confirm( string $id, string $url = '' ) {
		return self::settle( $id, 'confirm', '' === $url ? null : array( 'url' => $url ) );
	}

	/** Say that the item gets no post. @return true|WP_Error */
	public static function reject( string $id ) {
		return self::settle( $id, 'reject' );
	}

	/** Whether the feed answers and knows its address; takes no item. @return true|WP_Error */
	public static function check() {
		$answer = self::call( 'HEAD', '/latest' );
		return is_wp_error( $answer ) ? $answer : true;
	}

	/** Until when the feed asked to be left alone, as a timestamp; 0 where it did not. */
	public static function waits_until(): int {
		$until = (int) get_option( self::WAIT, 0 );
		return $until > time() ? min( $until, time() + self::MAX_WAIT ) : 0;
	}

	private static function settle( string $id, string $verb, ?array $told = null ) {
		$answer = self::call( 'POST', '/items/' . rawurlencode( $id ) . '/' . $verb, $told );
		if ( ! is_wp_error( $answer ) ) {
			return true === ( $answer['ok'] ?? null ) ? true : self::strange();
		}
		if ( 'copydesk_feed_unknown' === $answer->get_error_code() && true === self::check() ) {
			// The address is right, so it is the item that the feed does not know.
			return new WP_Error( 'copydesk_feed_conflict', __( 'The feed does not know this post. Was the feed URL changed?', 'copydesk' ) );
		}
		return $answer;
	}

	/** The decoded answer to one request, or a WP_Error. */
	private static function call( string $method, string $path, ?array $told = null ) {
		$base = self::base();
		if ( '' === $base ) {
			return new WP_Error( 'copydesk_no_feed', __( 'No feed URL is set. Paste it on the settings page.', 'copydesk' ) );
		}
		add_filter( 'http_request_host_is_external', array( __CLASS__, 'allow_own_machine' ), 10, 2 );
		add_filter( 'http_allowed_safe_ports', array( __CLASS__, 'allow_port' ), 10, 2 );
		$answer = wp_safe_remote_request(
			$base . $path,
			array(
				'method'              => $method,
				'timeout'             => self::TIMEOUT_S,
				'redirection'         => 0, // Another address would be given the secret one.
				'limit_response_size' => self::MAX_BYTES,
				'user-agent'          => 'Copydesk-WordPress/' . COPYDESK_VERSION,
				'headers'             => array( 'Accept' => 'application/json' ) + ( $told ? array( 'Content-Type' => 'application/json' ) : array() ),
				'body'                => $told ? (string) wp_json_encode( $told ) : null,
			)
		);
		remove_filter( 'http_request_host_is_external', array( __CLASS__, 'allow_own_machine' ), 10 );
		remove_filter( 'http_allowed_safe_ports', array( __CLASS__, 'allow_port' ), 10 );
		return self::read( $answer, $method );
	}

	private static function read( $answer, string $method ) {
		if ( is_wp_error( $answer ) ) {
			// The message of WordPress may hold the address.
			$known = preg_match( '/cURL error \d+/', $answer->get_error_message(), $found ) ? $found[0] : $answer->get_error_code();
			/* translators: %s: a code such as "cURL error 28". */
			return new WP_Error( 'copydesk_feed_down', sprintf( __( 'The feed did not respond (%s).', 'copydesk' ), $known ) );
		}
		$status = (int) wp_remote_retrieve_response_code( $answer );
		if ( 429 === $status || $status >= 500 ) {
			self::note_wait( (string) wp_remote_retrieve_header( $answer, 'retry-after' ) );
			/* translators: %d: an HTTP status code. */
			return new WP_Error( 'copydesk_feed_down', sprintf( __( 'The feed responded with %d. Copydesk will try again.', 'copydesk' ), $status ) );
		}
		if ( 409 === $status ) {
			return new WP_Error( 'copydesk_feed_conflict', __( 'The feed had already given this post up (409).', 'copydesk' ) );
		}
		if ( 404 === $status || 410 === $status ) {
			/* translators: %d: an HTTP status code. */
			return new WP_Error( 'copydesk_feed_unknown', sprintf( __( 'The feed no longer knows this address (%d). Enter the current feed URL in the settings.', 'copydesk' ), $status ) );
		}
		if ( 200 !== $status && ! ( 'HEAD' === $method && in_array( $status, array( 204, 405 ), true ) ) ) {
			/* translators: %d: an HTTP status code. */
			return new WP_Error( 'copydesk_feed_refused', sprintf( __( 'The feed responded with %d instead of 200. Check the feed URL in the settings.', 'copydesk' ), $status ) );
		}
		if ( 'HEAD' === $method ) {
			return array();
		}
		$body = (string) wp_remote_retrieve_body( $answer );
		if ( strlen( $body ) >= self::MAX_BYTES ) {
			return new WP_Error( 'copydesk_feed_down', __( 'The feed sent more than 16 MB at once.', 'copydesk' ) );
		}
		$data = json_decode( $body, true, 64 );
		return is_array( $data ) ? $data : self::strange();
	}

	private static function strange(): WP_Error {
		return new WP_Error( 'copydesk_feed_down', __( 'The feed URL responded with something other than a feed, such as a web page. Copydesk will try again.', 'copydesk' ) );
	}

	/** Remember how long the feed asks to be left alone: seconds or a date. */
	private static function note_wait( string $header ): void {
		$header = trim( $header );
		$wait_s = ctype_digit( $header ) ? (int) substr( $header, 0, 9 ) : (int) strtotime( $header ) - time();
		if ( '' !== $header && $wait_s > 0 ) {
			update_option( self::WAIT, time() + min( $wait_s, self::MAX_WAIT ), false );
		}
	}

	/** The feed's address without /latest or /items, "" for none. */
	private static function base(): string {
		$url = trim( (string) ( Copydesk_Settings::get()['feed_url'] ?? '' ) );
		return (string) preg_replace( '~/(?:latest|items)/*$~', '', rtrim( $url, '/' ) );
	}

	/** A text without the feed's address: another plugin's error may quote anything. */
	public static function without_address( string $text ): string {
		$secret = wp_basename( self::base() ); // Also where a proxy hides the rest of the address.
		$text   = strlen( $secret ) < 8 ? $text : str_replace( $secret, '…', $text );
		return (string) preg_replace( '~(content-tokens/)[^/\s"\']+~', '$1…', $text );
	}

	/** Let a developer's site read a feed of the same machine. */
	public static function allow_own_machine( $is_external, $host ) {
		$is_own = in_array( strtolower( (string) $host ), array( 'localhost', '127.0.0.1', '[::1]' ), true );
		return $is_external || ( $is_own && 'local' === wp_get_environment_type() );
	}

	/** Let the feed have a port of its own. */
	public static function allow_port( $ports, $host ) {
		$feed = wp_parse_url( self::base() );
		if ( isset( $feed['port'], $feed['host'] ) && strtolower( $feed['host'] ) === strtolower( (string) $host ) ) {
			$ports[] = $feed['port'];
		}
		return $ports;
	}
}
