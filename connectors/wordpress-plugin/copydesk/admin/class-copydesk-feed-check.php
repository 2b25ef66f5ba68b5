<?php
/**
 * Tells the owner whether the feed answers, and what to do if it does not.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

final class Copydesk_Feed_Check {
	/**
	 * Ask the feed, without taking a post from it.
	 *
	 * @return true|WP_Error The error has the sentence that helps, without any part of the address.
	 */
	public static function run() {
		if ( ! Copydesk_Settings::has_feed() ) {
			return new WP_Error( 'copydesk_no_feed', __( 'There is no feed URL yet. Paste it and save.', 'copydesk' ) );
		}
		$found = Copydesk_Feed::check();
		return is_wp_error( $found ) ? new WP_Error( $found->get_error_code(), self::advice( $found ) ) : $found;
	}

	/** What to do about an error of the feed. Its own sentence names a status or a number of cURL. */
	private static function advice( WP_Error $error ): string {
		$said = $error->get_error_message();
		if ( 'copydesk_feed_unknown' === $error->get_error_code() ) {
			return __( 'The server responds, but does not know this feed. Copy the whole address again; if it was replaced, ask the feed’s operator for the new one.', 'copydesk' );
		}
		if ( preg_match( '/cURL error (\d{1,3})\b/', $said, $parts ) ) {
			return self::advice_for_curl( (int) $parts[1] );
		}
		if ( false !== strpos( $said, 'http_request_not_executed' ) ) {
			return __( 'This site blocks calls to other servers (WP_HTTP_BLOCK_EXTERNAL). Add the name of the feed’s server to WP_ACCESSIBLE_HOSTS in wp-config.php.', 'copydesk' );
		}
		$status = preg_match( '/\b([2-5]\d\d)\b/', $said, $parts ) ? (int) $parts[1] : 0;
		if ( 408 === $status || 429 === $status || $status >= 500 ) {
			/* translators: %d: an HTTP status such as 503. */
			return sprintf( __( 'The feed’s server cannot respond at the moment (HTTP %d). The address is saved, and Copydesk tries again automatically.', 'copydesk' ), $status );
		}
		if ( 401 === $status || 403 === $status ) {
			/* translators: %d: an HTTP status such as 403. */
			return sprintf( __( 'The server refused the request (HTTP %d). Ask the feed’s operator whether a firewall blocks this site.', 'copydesk' ), $status );
		}
		if ( $status >= 300 && $status < 400 ) {
			return __( 'The address redirects, and Copydesk does not follow redirects. Ask the feed’s operator for the current address.', 'copydesk' );
		}
		if ( $status ) {
			return __( 'Something responds at this address, but it is not a feed. Copy the whole address again.', 'copydesk' );
		}
		return self::advice_for_curl( 0 );
	}

	private static function advice_for_curl( int $number ): string {
		if ( 6 === $number ) {
			return __( 'The feed’s server was not found. Check the spelling of the address and paste it again.', 'copydesk' );
		}
		if ( 28 === $number ) {
			return __( 'The feed’s server did not respond in time. Try again in a few minutes. If the problem persists, ask your host whether outgoing connections are allowed.', 'copydesk' );
		}
		if ( in_array( $number, array( 35, 51, 58, 60, 77 ), true ) ) {
			return __( 'No encrypted connection to the feed’s server was possible: its certificate could not be checked. Tell the feed’s operator.', 'copydesk' );
		}
		return __( 'The feed’s server could not be reached. Check the address; if it is right, ask your host whether outgoing connections are allowed.', 'copydesk' );
	}
}
