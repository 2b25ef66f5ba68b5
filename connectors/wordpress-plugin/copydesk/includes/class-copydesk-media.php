<?php
/**
 * The featured picture of a post: one of the owner's own in the media library.
 *
 * Nothing is uploaded or fetched, so a post that is filled again leaves no second file.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

require_once __DIR__ . '/class-copydesk-links.php';

/** Finds pictures. */
final class Copydesk_Media {
	/** Pictures whose titles are compared with one post. */
	const MOST = 200;

	/**
	 * Give a post without a picture the one whose title fits it best; none where none does.
	 *
	 * @return bool False where the database did not store it.
	 */
	public static function choose( int $post_id, string $title, array $keywords ): bool {
		if ( get_post_thumbnail_id( $post_id ) ) {
			return true;
		}
		$picture = self::closest( $title . ' ' . implode( ' ', array_slice( $keywords, 0, 5 ) ) );
		return ! $picture || ! wp_get_attachment_image( $picture ) || set_post_thumbnail( $post_id, $picture );
	}

	/** The newest of the pictures that fit a subject best; 0 for none. */
	private static function closest( string $subject ): int {
		global $wpdb;
		$wanted                     = Copydesk_Links::subject_words( $subject );
		list( $condition, $values ) = Copydesk_Links::title_condition( $wanted );
		if ( '' === $condition ) {
			return 0;
		}
		$sql      = "SELECT ID, post_title FROM $wpdb->posts WHERE post_type = 'attachment' AND post_mime_type IN ('image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/gif') AND ($condition) ORDER BY post_date DESC, ID DESC LIMIT " . self::MOST;
		$best     = 0;
		$best_for = 0;
		// phpcs:ignore WordPress.DB.PreparedSQL.NotPrepared -- the condition holds placeholders only.
		foreach ( (array) $wpdb->get_results( $wpdb->prepare( $sql, $values ) ) as $picture ) {
			// WordPress makes the title from the file's name.
			$closeness = Copydesk_Links::closeness( $wanted, str_replace( '_', ' ', $picture->post_title ) );
			if ( $closeness > $best_for ) {
				$best     = (int) $picture->ID;
				$best_for = $closeness;
			}
		}
		return $best;
	}
}
