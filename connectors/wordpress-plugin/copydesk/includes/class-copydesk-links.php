<?php
/**
 * Links to the site's own posts at the places that an item names.
 *
 * A place is a paragraph [[internal-link: SUBJECT]] at the end of a section. It goes, and a phrase
 * of that section becomes a link to the published post that fits best; if none of its words name
 * that post, the section's last paragraph gets a short sentence. Without such a post there is no link.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

require_once __DIR__ . '/class-copydesk-html.php';

/** Fills the places of a post. */
final class Copydesk_Links {
	/** Links in one post; the service sends three places. */
	const MOST = 5;

	/** Posts whose titles are compared with one subject. */
	const MOST_POSTS = 100;

	/** Words of one text in which a phrase is searched. */
	const MOST_WORDS = 2000;

	private const PLACE = '/^\s*\[\[internal-link:([^\[\]]*)\]\]\s*$/D';

	/**
	 * Fill or remove the places of a tree.
	 *
	 * @param Copydesk_Node $root    The tree that is changed.
	 * @param bool          $wanted  Whether to link; the places go in any case.
	 * @param int           $post_id The post itself, which gets no link to itself; 0 for none.
	 */
	public static function fill( Copydesk_Node $root, bool $wanted, int $post_id ): void {
		$kept    = array();
		$section = array();
		$linked  = array( $post_id );
		foreach ( $root->children as $child ) {
			$tag = is_string( $child ) ? '' : $child->tag;
			if ( 'p' === $tag && preg_match( self::PLACE, $child->text(), $place ) ) {
				$page = $wanted && count( $linked ) <= self::MOST ? self::closest( $place[1], $linked ) : null;
				if ( $page && self::link( $section, $page ) ) {
					$linked[] = (int) $page->ID;
				}
				continue;
			}
			if ( in_array( $tag, array( 'h1', 'h2' ), true ) ) {
				$section = array();
			} elseif ( 'p' === $tag ) {
				$section[] = $child;
			}
			$kept[] = $child;
		}
		$root->children = $kept;
	}

	/** The words that texts on the same subject share: those of at least four letters. */
	public static function subject_words( string $text ): array {
		$words = array();
		foreach ( self::words( $text ) as $word ) {
			if ( self::length( $word[0] ) >= 4 ) {
				$words[ $word[0] ] = true;
			}
		}
		return array_map( 'strval', array_keys( $words ) );
	}

	/**
	 * How well a title fits a subject: the words that they share; 0 for a single short one.
	 *
	 * @param string[] $wanted What subject_words() gave.
	 */
	public static function closeness( array $wanted, string $title ): int {
		$shared = array_values( array_intersect( $wanted, self::subject_words( $title ) ) );
		return 1 === count( $shared ) && self::length( $shared[0] ) < 6 ? 0 : count( $shared );
	}

	/**
	 * SQL that is true of titles with one of the longest words, and its values for prepare().
	 *
	 * @param string[] $words What subject_words() gave.
	 * @return array{0:string,1:string[]} '' for no words.
	 */
	public static function title_condition( array $words ): array {
		global $wpdb;
		usort(
			$words,
			static function ( $a, $b ) {
				return array( strlen( $b ), $a ) <=> array( strlen( $a ), $b );
			}
		);
		$values = array();
		foreach ( array_slice( $words, 0, 3 ) as $word ) {
			$values[] = '%' . $wpdb->esc_like( $word ) . '%';
		}
		return array( implode( ' OR ', array_fill( 0, count( $values ), 'post_title LIKE %s' ) ), $values );
	}

	/** The published post whose title fits a subject best, the newest of several; null for none. */
	private static function closest( string $subject, array $but ): ?object {
		global $wpdb;
		$wanted                     = self::subject_words( substr( $subject, 0, 500 ) );
		list( $condition, $values ) = self::title_condition( $wanted );
		if ( '' === $condition ) {
			return null;
		}
		$sql      = "SELECT ID, post_title FROM $wpdb->posts WHERE post_type = 'post' AND post_status = 'publish' AND post_password = '' AND ($condition) ORDER BY post_date DESC LIMIT " . self::MOST_POSTS;
		$best     = null;
		$best_for = 0;
		// phpcs:ignore WordPress.DB.PreparedSQL.NotPrepared -- the condition holds placeholders only.
		foreach ( (array) $wpdb->get_results( $wpdb->prepare( $sql, $values ) ) as $post ) {
			$post->post_title = html_entity_decode( wp_strip_all_tags( $post->post_title ), ENT_QUOTES | ENT_HTML5, 'UTF-8' );
			$closeness        = in_array( (int) $post->ID, $but, true ) ? 0 : self::closeness( $wanted, $post->post_title );
			if ( $closeness > $best_for ) {
				$best     = $post;
				$best_for = $closeness;
			}
		}
		return $best;
	}

	/**
	 * Put a link to a post into the paragraphs of a section; false where there is no room for it.
	 *
	 * @param Copydesk_Node[] $section
	 */
	private static function link( array $section, object $page ): bool {
		$url = Copydesk_Html::safe_url( (string) get_permalink( (int) $page->ID ) );
		if ( '' === $url ) {
			return false;
		}
		$title  = array_column( self::words( $page->post_title ), 0 );
		$phrase = null;
		foreach ( $section as $paragraph ) {
			$phrase = self::better( $phrase, self::phrase( $paragraph, $title ) );
		}
		if ( $phrase ) {
			$phrase['in']->children = array_merge(
				array_slice( $phrase['in']->children, 0, $phrase['child'] ),
				array(
					substr( $phrase['text'], 0, $phrase['from'] ),
					new Copydesk_Node( 'a', array( 'href' => $url ), array( substr( $phrase['text'], $phrase['from'], $phrase['length'] ) ) ),
					substr( $phrase['text'], $phrase['from'] + $phrase['length'] ),
				),
				array_slice( $phrase['in']->children, $phrase['child'] + 1 )
			);
			return true;
		}
		foreach ( array_reverse( $section ) as $paragraph ) {
			if ( preg_match( '/[.!?…»”"\')]\s*$/Du', $paragraph->text() ) ) {
				/* translators: %s: the linked title of another post; follows a paragraph. */
				$sentence = explode( '%s', __( 'Read more: %s.', 'copydesk' ), 2 ) + array( '', '' );
				$ends     = preg_match( '/[.!?…]$/Du', $page->post_title );
				array_push(
					$paragraph->children,
					' ' . $sentence[0],
					new Copydesk_Node( 'a', array( 'href' => $url ), array( $page->post_title ) ),
					$ends ? ltrim( $sentence[1], '.' ) : $sentence[1]
				);
				return true;
			}
		}
		return false;
	}

	/**
	 * The longest run of a title's words in the texts of an element, outside of links and code.
	 *
	 * @param string[] $title
	 * @return array{in:Copydesk_Node,child:int,text:string,from:int,length:int,letters:int}|null
	 */
	private static function phrase( Copydesk_Node $node, array $title ): ?array {
		$best = null;
		foreach ( $node->children as $number => $child ) {
			if ( ! is_string( $child ) ) {
				$found = in_array( $child->tag, array( 'strong', 'em', 'b', 'i' ), true ) ? self::phrase( $child, $title ) : null;
				$best  = self::better( $best, $found );
				continue;
			}
			foreach ( self::runs( self::words( $child ), $title ) as $run ) {
				$best = self::better( $best, $run + array( 'in' => $node, 'child' => $number, 'text' => $child ) );
			}
		}
		return $best;
	}

	/**
	 * The runs of words that a text shares with a title and that name a subject: at least two words,
	 * or one of six letters. They begin and end with a word of at least four.
	 *
	 * @param array<int,array{0:string,1:int,2:int}> $words
	 * @param string[]                               $title
	 */
	private static function runs( array $words, array $title ): array {
		$runs   = array();
		$before = array();
		foreach ( $words as $at => $word ) {
			$lengths = array();
			foreach ( $title as $number => $name ) {
				if ( $name !== $word[0] ) {
					continue;
				}
				$lengths[ $number ] = 1 + ( $before[ $number - 1 ] ?? 0 );
				$run                = array_slice( $words, $at - $lengths[ $number ] + 1, $lengths[ $number ] );
				while ( $run && self::length( $run[0][0] ) < 4 ) {
					array_shift( $run );
				}
				if ( ! $run || self::length( $word[0] ) < 4 || ( 1 === count( $run ) && self::length( $word[0] ) < 6 ) ) {
					continue;
				}
				$runs[] = array(
					'from'    => $run[0][1],
					'length'  => $word[1] + $word[2] - $run[0][1],
					'letters' => array_sum( array_map( 'strlen', array_column( $run, 0 ) ) ),
				);
			}
			$before = $lengths;
		}
		return $runs;
	}

	private static function better( ?array $one, ?array $other ): ?array {
		return $other && ( ! $one || $other['letters'] > $one['letters'] ) ? $other : $one;
	}

	/**
	 * The words of a text in small letters, with their places in it in bytes.
	 *
	 * @return array<int,array{0:string,1:int,2:int}> Word, place, length.
	 */
	private static function words( string $text ): array {
		preg_match_all( '/[\p{L}\p{M}\p{N}]+/u', substr( $text, 0, 40 * self::MOST_WORDS ), $found, PREG_OFFSET_CAPTURE );
		$words = array();
		foreach ( array_slice( $found[0] ?? array(), 0, self::MOST_WORDS ) as $word ) {
			$small   = function_exists( 'mb_strtolower' ) ? mb_strtolower( $word[0], 'UTF-8' ) : strtolower( $word[0] );
			$words[] = array( $small, $word[1], strlen( $word[0] ) );
		}
		return $words;
	}

	private static function length( string $word ): int {
		return mb_strlen( $word, 'UTF-8' ); // WordPress brings it where PHP lacks it.
	}
}
