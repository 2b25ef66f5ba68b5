<?php
/**
 * The post that an item of the feed becomes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

require_once __DIR__ . '/class-copydesk-html.php';
require_once __DIR__ . '/class-copydesk-blocks.php';
require_once __DIR__ . '/class-copydesk-links.php';
require_once __DIR__ . '/class-copydesk-media.php';

/** Writes posts. Every step can be repeated, whenever PHP died. */
final class Copydesk_Post {
	/** What the page's head says of a post; see Copydesk_Head. */
	const JSON_LD = '_copydesk_json_ld';

	/** Hashes of the texts that were written into a post, so that an edited one is known. */
	const WRITTEN = '_copydesk_written';

	/** https://schema.org/digitalSourceType for IPTC's code trainedAlgorithmicMedia. */
	const DIGITAL_SOURCE = 'https://schema.org/TrainedAlgorithmicMediaDigitalSource';

	const SEO = array(
		'yoast'     => array( '_yoast_wpseo_title', '_yoast_wpseo_metadesc', '_yoast_wpseo_focuskw' ),
		'rank_math' => array( 'rank_math_title', 'rank_math_description', 'rank_math_focus_keyword' ),
	);

	// Bytes.
	private const LONGEST_ID    = 500;
	private const LONGEST_TITLE = 2000;

	// Characters; what is longer is cut.
	private const LONGEST_SLUG        = 100;
	private const LONGEST_NAME        = 200;
	private const LONGEST_DESCRIPTION = 5000;
	private const MOST_KEYWORDS       = 100;

	/** Elements at whose end WordPress adds no paragraph for a comment. */
	private const TEXT_ENDS = array( 'p', 'li', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'td', 'th' );

	/**
	 * The parts of an item that a post needs, checked and bounded.
	 *
	 * @param array $item The item as the feed sent it.
	 * @return array{id:string,title:string,slug:string,description:string,keywords:string[],html:string}|WP_Error
	 *         The error copydesk_bad_item for an item that can be no post.
	 */
	public static function read( array $item ) {
		$content  = is_array( $item['post'] ?? null ) ? $item['post'] : array();
		$meta     = is_array( $content['meta'] ?? null ) ? $content['meta'] : array();
		$rendered = is_array( $item['rendered'] ?? null ) ? $item['rendered'] : array();
		$id       = $item['id'] ?? null;
		$title    = $content['title'] ?? null;
		$html     = $rendered['html'] ?? null;
		if ( ! is_string( $id ) || strlen( $id ) > self::LONGEST_ID || '' === trim( $id, ' .' ) ) {
			return self::bad( __( 'The post has no usable id.', 'copydesk' ) );
		}
		if ( is_string( $title ) && strlen( $title ) > self::LONGEST_TITLE ) {
			/* translators: %s: a number of bytes. */
			return self::bad( sprintf( __( 'The title of the post is longer than %s bytes.', 'copydesk' ), number_format_i18n( self::LONGEST_TITLE ) ) );
		}
		$title = self::line( $title, self::LONGEST_TITLE );
		if ( '' === $title ) {
			return self::bad( __( 'The post has no title.', 'copydesk' ) );
		}
		if ( ! is_string( $html ) || '' === trim( $html ) ) {
			return self::bad( __( 'The post has no text.', 'copydesk' ) );
		}
		return array(
			'id'          => $id,
			'title'       => $title,
			'slug'        => self::slug( self::line( $content['slugSuggestion'] ?? '', self::LONGEST_NAME ) ),
			'description' => self::line( $meta['description'] ?? '', self::LONGEST_DESCRIPTION ),
			'keywords'    => self::keywords( $content, $meta ),
			'html'        => $html,
		);
	}

	/** Why an item can never be a post, as a sentence; '' where it can. Reads nothing of the site. */
	public static function problem( array $item ): string {
		$fields = self::checked_fields( $item, array(), 0 );
		return is_wp_error( $fields ) ? $fields->get_error_message() : '';
	}

	/**
	 * The fields of an item for wp_insert_post(), without slashes and without a status.
	 *
	 * @param array $item    The item as the feed sent it.
	 * @param array $route   What Copydesk_Settings::route() gives.
	 * @param int   $post_id The post, which gets no link to itself; 0 for a new one.
	 * @return array Empty for an item that can be no post; problem() says why.
	 */
	public static function fields( array $item, array $route, int $post_id = 0 ): array {
		$fields = self::checked_fields( $item, $route, $post_id );
		return is_wp_error( $fields ) ? array() : $fields;
	}

	/**
	 * An empty auto-draft for an item, as wp_insert_post() stores one, but in one statement in place of
	 * ten: other plugins hear of the post when it gets its text.
	 *
	 * @return int The post's number; 0 where the database did not store it.
	 */
	public static function begin( string $item_id ): int {
		global $wpdb;
		$now = current_time( 'mysql' );
		$wpdb->insert(
			$wpdb->posts,
			array(
				'post_author'           => get_current_user_id(),
				'post_date'             => $now,
				'post_modified'         => $now,
				'post_modified_gmt'     => current_time( 'mysql', true ),
				'post_title'            => __( 'Auto Draft' ), // phpcs:ignore WordPress.WP.I18n -- as WordPress calls it.
				'post_content'          => '',
				'post_content_filtered' => '',
				'post_excerpt'          => '',
				'post_status'           => 'auto-draft',
				'comment_status'        => get_default_comment_status(),
				'ping_status'           => get_default_comment_status( 'post', 'pingback' ),
				'to_ping'               => '',
				'pinged'                => '',
				'guid'                  => esc_url_raw( home_url( '/?copydesk=' . rawurlencode( $item_id ) ) ),
			)
		);
		return (int) $wpdb->insert_id;
	}

	/**
	 * Write an item into a post: its terms, SEO fields, JSON-LD and picture, and then its text and
	 * status in one statement, so that readers never see a part of it.
	 *
	 * @param int   $post_id A post that is unedited; see is_unedited().
	 * @param array $item    The item as the feed sent it.
	 * @param array $route   What Copydesk_Settings::route() gives.
	 * @param array $status  The post's new post_status, with the fields of its date if they change.
	 * @return true|WP_Error The error copydesk_bad_item where no other try will help.
	 */
	public static function fill( int $post_id, array $item, array $route, array $status ) {
		$fields = self::checked_fields( $item, $route, $post_id );
		if ( is_wp_error( $fields ) ) {
			return $fields;
		}
		$post = get_post( $post_id );
		if ( ! $post ) {
			return new WP_Error( 'copydesk_gone', __( 'The post was deleted.', 'copydesk' ) );
		}
		// First: where PHP dies after the text is written, it must not look edited.
		$hash   = self::hash( $fields['post_title'], $fields['post_content'] );
		$stored = get_post_meta( $post_id );
		if ( ! in_array( $hash, $stored[ self::WRITTEN ] ?? array(), true ) && ! add_post_meta( $post_id, self::WRITTEN, $hash ) ) {
			return self::not_stored( self::WRITTEN );
		}
		foreach ( array( 'categories' => 'category', 'tags' => 'post_tag' ) as $key => $taxonomy ) {
			$set = self::set_terms( $post_id, (array) ( $route[ $key ] ?? array() ), $taxonomy );
			if ( is_wp_error( $set ) ) {
				return $set;
			}
		}
		$read = self::read( $item );
		if ( 'none' !== ( $route['seo'] ?? 'auto' ) ) {
			self::set_seo( $post_id, $read );
		}
		if ( ! empty( $route['json_ld'] ) ) {
			$author = $fields['post_author'] ?? (int) $post->post_author;
			$write  = isset( $stored[ self::JSON_LD ] ) ? 'update_post_meta' : 'add_post_meta'; // The first one looks twice.
			$write( $post_id, self::JSON_LD, wp_slash( self::jsonld( $item, $author, $route ) ) );
		} elseif ( isset( $stored[ self::JSON_LD ] ) ) {
			delete_post_meta( $post_id, self::JSON_LD );
		}
		if ( 'none' !== ( $route['image'] ?? 'none' ) && ! Copydesk_Media::choose( $post_id, $read['title'], $read['keywords'] ) ) {
			return self::not_stored( '_thumbnail_id' );
		}
		// Nobody wants the empty post back.
		add_filter( 'wp_revisions_to_keep', '__return_zero', PHP_INT_MAX );
		global $wpdb;
		foreach ( array( 'post_title', 'post_excerpt', 'post_content' ) as $column ) {
			$fields[ $column ] = Copydesk_Html::storable( $fields[ $column ], $wpdb->posts, $column );
		}
		$written = wp_update_post( wp_slash( array( 'ID' => $post_id ) + $fields + $status ), true );
		remove_filter( 'wp_revisions_to_keep', '__return_zero', PHP_INT_MAX );
		return is_wp_error( $written ) ? $written : true;
	}

	/**
	 * What the site or its plugins made otherwise when fill() wrote a post.
	 *
	 * @param array $status As fill() got it.
	 * @return string[] The names of fields, for a sentence.
	 */
	public static function changed( WP_Post $post, array $item, array $route, array $status ): array {
		$read   = self::read( $item );
		$author = (int) ( $route['author'] ?? 0 );
		$was    = array(
			__( 'status', 'copydesk' )        => $post->post_status !== $status['post_status'],
			__( 'date', 'copydesk' )          => isset( $status['post_date_gmt'] ) && $post->post_date_gmt !== $status['post_date_gmt'],
			__( 'title or text', 'copydesk' ) => ! self::is_unedited( $post, $item, $route ),
			__( 'excerpt', 'copydesk' )       => self::hash( self::escape( $read['description'] ), '' ) !== self::hash( $post->post_excerpt, '' ),
			__( 'author', 'copydesk' )        => $author && get_userdata( $author ) && (int) $post->post_author !== $author,
			'rel="sponsored"'                 => self::count_paid( (string) $item['rendered']['html'] ) > self::count_paid( $post->post_content ),
			__( 'tags', 'copydesk' )          => ! empty( $route['tags'] ) && ! wp_get_object_terms( $post->ID, 'post_tag', array( 'fields' => 'ids' ) ),
		);
		$meta = empty( $route['json_ld'] ) ? array() : array( self::JSON_LD => '1' );
		if ( 'none' !== ( $route['seo'] ?? 'auto' ) ) {
			foreach ( self::seo_fields() as $keys ) {
				$meta += array_combine( $keys, self::seo_values( $read ) );
			}
		}
		foreach ( array_filter( $meta, 'strlen' ) as $key => $value ) {
			$was[ $key ] = '' === (string) get_post_meta( $post->ID, $key, true );
		}
		return array_keys( array_filter( $was ) );
	}

	/** How many links of a text are marked as paid. */
	private static function count_paid( string $html ): int {
		return (int) preg_match_all( '/<a\s[^>]*\bsponsored\b/i', $html );
	}

	/**
	 * Whether a post still has a text that fill() wrote, or none yet. Markup is the site's to change.
	 */
	public static function is_unedited( WP_Post $post, array $item, array $route ): bool {
		if ( 'auto-draft' === $post->post_status && '' === trim( $post->post_content ) ) {
			return true;
		}
		$hash    = self::hash( $post->post_title, $post->post_content );
		$written = get_post_meta( $post->ID, self::WRITTEN );
		if ( $written ) {
			return in_array( $hash, $written, true );
		}
		$fields = self::fields( $item, $route, $post->ID );
		return $fields && self::hash( $fields['post_title'], $fields['post_content'] ) === $hash;
	}

	/**
	 * The JSON-LD of a post for its field. What can change later, such as its dates and address,
	 * Copydesk_Head adds when the page is shown.
	 *
	 * @return string JSON in which no text ends a script element or begins a shortcode; '' for none.
	 */
	public static function jsonld( array $item, int $author_id, array $route = array() ): string {
		$read = self::read( $item );
		if ( is_wp_error( $read ) ) {
			return '';
		}
		$data = array(
			'@context'          => 'https://schema.org',
			'@type'             => 'BlogPosting',
			'headline'          => $read['title'],
			'description'       => $read['description'],
			'keywords'          => $read['keywords'],
			'author'            => self::author( $author_id, self::is_author_chosen( $route ) ),
			'digitalSourceType' => self::DIGITAL_SOURCE,
		);
		// ASCII, which every database stores.
		return (string) wp_json_encode( array_filter( $data ), JSON_HEX_TAG | JSON_HEX_AMP | JSON_UNESCAPED_SLASHES );
	}

	/** A person where the owner chose one, else the site. */
	public static function author( int $user_id, bool $is_person ): array {
		$user = $is_person ? get_userdata( $user_id ) : false;
		if ( $user ) {
			return array( '@type' => 'Person', 'name' => $user->display_name, 'url' => get_author_posts_url( $user->ID ) );
		}
		return self::organization();
	}

	/** The site, as the author or publisher of a post. */
	public static function organization(): array {
		$name = html_entity_decode( get_bloginfo( 'name' ), ENT_QUOTES | ENT_HTML5, 'UTF-8' );
		$logo = get_site_icon_url( 512 );
		$site = array( '@type' => 'Organization', 'name' => '' === $name ? wp_parse_url( home_url(), PHP_URL_HOST ) : $name, 'url' => home_url( '/' ) );
		return $site + ( $logo ? array( 'logo' => array( '@type' => 'ImageObject', 'url' => $logo ) ) : array() );
	}

	/** The comment in the text that identifies a post to every connector of Copydesk. */
	public static function marker( string $item_id ): string {
		return 'copydesk:' . rawurlencode( $item_id );
	}

	/** @return array|WP_Error */
	private static function checked_fields( array $item, array $route, int $post_id ) {
		$read = self::read( $item );
		if ( is_wp_error( $read ) ) {
			return $read;
		}
		$root = Copydesk_Html::parse( $read['html'] );
		if ( is_wp_error( $root ) ) {
			return $root;
		}
		self::remove_title( $root );
		Copydesk_Links::fill( $root, ! empty( $route['links'] ), $post_id );
		if ( '' === trim( $root->text() ) ) {
			return self::bad( __( 'The post has no text.', 'copydesk' ) );
		}
		self::add_marker( $root, $read['id'] );
		$is_html = 'html' === ( $route['format'] ?? 'blocks' );
		$text    = $is_html ? Copydesk_Html::write( $root->children ) : Copydesk_Blocks::write( $root->children );
		if ( ! empty( $route['disclosure'] ) ) {
			$text = self::notice( __( 'This post was written with artificial intelligence.', 'copydesk' ), $is_html ) . "\n\n" . $text;
		}
		if ( ! empty( $route['offers'] ) && preg_match( '/<a [^>]*\bsponsored\b/', $text ) ) {
			$text .= "\n\n" . self::notice( __( 'We are paid for links to offers.', 'copydesk' ), $is_html );
		}
		$fields = array(
			'post_title'   => self::escape( $read['title'] ),
			'post_name'    => $read['slug'],
			'post_excerpt' => self::escape( $read['description'] ),
			'post_content' => $text,
		);
		$author = (int) ( $route['author'] ?? 0 );
		return $fields + ( $author && get_userdata( $author ) ? array( 'post_author' => $author ) : array() );
	}

	/**
	 * A visible notice. It is a part of the text: readers find it in feeds and e-mails too, the owner
	 * can word or remove it for each post, and it stays if the plugin goes.
	 */
	private static function notice( string $sentence, bool $is_html ): string {
		$sentence = Copydesk_Html::escape( $sentence );
		return $is_html ? "<p class=\"copydesk-disclosure\">$sentence</p>" : Copydesk_Blocks::paragraph( $sentence, 'copydesk-disclosure', 'small' );
	}

	/** Take a title at the beginning of the text away: the theme shows it. */
	private static function remove_title( Copydesk_Node $root ): void {
		foreach ( $root->children as $at => $child ) {
			if ( is_string( $child ) && '' === trim( $child ) ) {
				continue;
			}
			if ( $child instanceof Copydesk_Node && 'h1' === $child->tag ) {
				array_splice( $root->children, 0, $at + 1 );
			}
			return;
		}
	}

	/** Put the marker at the end of the last text, where it makes no paragraph of its own. */
	private static function add_marker( Copydesk_Node $root, string $item_id ): void {
		$last             = self::last_text( $root );
		$last             = $last ? $last : $root;
		$last->children[] = new Copydesk_Node( '#comment', array(), array( self::marker( $item_id ) ) );
	}

	/** The element with a text that ends last; null for none. */
	private static function last_text( Copydesk_Node $node ): ?Copydesk_Node {
		foreach ( array_reverse( $node->children ) as $child ) {
			if ( ! $child instanceof Copydesk_Node || ( '' === trim( $child->text() ) && 'td' !== $child->tag && 'th' !== $child->tag ) ) {
				continue;
			}
			$found = in_array( $child->tag, self::TEXT_ENDS, true ) ? $child : self::last_text( $child );
			if ( $found ) {
				return $found;
			}
		}
		return null;
	}

	/**
	 * Set the terms that an owner chose: ids of categories, names of tags. They are read again:
	 * WordPress reports them as set even if its database stored none.
	 *
	 * @return true|WP_Error
	 */
	private static function set_terms( int $post_id, array $terms, string $taxonomy ) {
		global $wpdb;
		$ids = array();
		foreach ( $terms as $term ) {
			if ( is_int( $term ) ) {
				$found = term_exists( $term, $taxonomy );
			} else {
				$term  = Copydesk_Html::storable( $term, $wpdb->terms, 'name' );
				$found = get_term_by( 'name', $term, $taxonomy, ARRAY_A );
				$found = $found ? $found : wp_insert_term( wp_slash( $term ), $taxonomy );
				if ( is_wp_error( $found ) && 'term_exists' === $found->get_error_code() ) {
					$found = array( 'term_id' => $found->get_error_data() );
				}
			}
			if ( is_wp_error( $found ) ) {
				return $found;
			}
			if ( $found ) { // A category may have been deleted.
				$ids[] = (int) $found['term_id'];
			}
		}
		$set = $ids ? wp_set_object_terms( $post_id, $ids, $taxonomy ) : true;
		if ( is_wp_error( $set ) ) {
			return $set;
		}
		$there = $ids ? wp_get_object_terms( $post_id, $taxonomy, array( 'fields' => 'ids' ) ) : array();
		return array_diff( $ids, is_array( $there ) ? $there : array() ) ? self::not_stored( $taxonomy ) : true;
	}

	/** The next try writes it again. */
	private static function not_stored( string $what ): WP_Error {
		/* translators: %s: WordPress's name of a field. */
		return new WP_Error( 'copydesk_not_stored', sprintf( __( 'The site’s database did not store a part of the post (%s). Copydesk will try again.', 'copydesk' ), $what ) );
	}

	/** The names of the SEO fields, by the plugins that are there. */
	public static function seo_fields(): array {
		$plugins = array();
		if ( defined( 'WPSEO_VERSION' ) ) {
			$plugins[] = 'yoast';
		}
		if ( class_exists( 'RankMath', false ) ) {
			$plugins[] = 'rank_math';
		}
		/**
		 * Filters whose SEO fields are written.
		 *
		 * @param string[] $plugins The active ones among "yoast" and "rank_math".
		 */
		$plugins = (array) apply_filters( 'copydesk_seo_plugins', $plugins );
		return array_intersect_key( self::SEO, array_flip( $plugins ) );
	}

	/** Title, description and keyword, in the order of SEO. */
	private static function seo_values( array $read ): array {
		return array( $read['title'], $read['description'], $read['keywords'][0] ?? '' );
	}

	/** Give a post the SEO fields of the plugins that are there; what has a value keeps it. */
	private static function set_seo( int $post_id, array $read ): void {
		global $wpdb;
		foreach ( self::seo_fields() as $plugin => $keys ) {
			foreach ( array_combine( $keys, self::seo_values( $read ) ) as $key => $value ) {
				// "%%name%%" and "%name%" would be replaced by a value of the plugin's.
				$value = 'yoast' === $plugin ? str_replace( '%%', '%', $value ) : preg_replace( '/%(?=\w+%)/', '% ', $value );
				if ( '' !== $value && '' === (string) get_post_meta( $post_id, $key, true ) ) {
					update_post_meta( $post_id, $key, wp_slash( Copydesk_Html::storable( $value, $wpdb->postmeta, 'meta_value' ) ) );
				}
			}
		}
	}

	/** Whether a person was chosen as the author, for the site or in a route. */
	private static function is_author_chosen( array $route ): bool {
		$author = (int) ( $route['author'] ?? 0 );
		if ( ! $author || ! class_exists( 'Copydesk_Settings', false ) ) {
			return (bool) $author;
		}
		$stored = get_option( 'copydesk_settings' );
		// Without a choice, the settings name the oldest administrator.
		return ! empty( $stored['author'] ) || (int) Copydesk_Settings::get()['author'] !== $author;
	}

	/** A hash of what readers read, whatever the markup. */
	private static function hash( string $title, string $content ): string {
		$words = '';
		foreach ( array( $title, $content ) as $markup ) {
			// Each tag parts words: an editor may put blocks on one line or on two.
			$text   = html_entity_decode( wp_strip_all_tags( str_replace( '<', ' <', $markup ) ), ENT_QUOTES | ENT_HTML5, 'UTF-8' );
			$words .= trim( (string) preg_replace( '/\s+/u', ' ', $text ) ) . "\n";
		}
		return hash( 'sha256', $words );
	}

	/** A title or excerpt as HTML: WordPress shows both unchanged. */
	private static function escape( string $text ): string {
		return htmlspecialchars( $text, ENT_NOQUOTES | ENT_HTML5, 'UTF-8' );
	}

	/** A text on one line, '' for what is none. */
	private static function line( $value, int $longest ): string {
		if ( ! is_string( $value ) ) {
			return '';
		}
		// In bytes first: without PHP's mbstring, WordPress splits the whole text.
		$text = mb_substr( substr( $value, 0, 4 * $longest ), 0, $longest, 'UTF-8' );
		$text = preg_match( '//u', $text ) ? Copydesk_Html::clean( $text ) : '';
		return trim( (string) preg_replace( '/\s+/u', ' ', $text ) );
	}

	/** A suggestion becomes a part of an address; without a usable one WordPress takes the title. */
	private static function slug( string $suggestion ): string {
		$slug = trim( (string) preg_replace( '/[^a-z0-9]+/', '-', strtolower( remove_accents( $suggestion ) ) ), '-' );
		if ( strlen( $slug ) <= self::LONGEST_SLUG ) {
			return $slug;
		}
		$start = substr( $slug, 0, self::LONGEST_SLUG + 1 );
		$end   = strrpos( $start, '-' );
		return substr( $start, 0, false === $end ? self::LONGEST_SLUG : $end );
	}

	/** @return string[] The primary keyword first, each once in any case. */
	private static function keywords( array $content, array $meta ): array {
		$covered = $content['coverageNotes']['keywordCoverage'] ?? array();
		$names   = array( $meta['primaryKeyword'] ?? '' );
		foreach ( is_array( $covered ) ? array_slice( $covered, 0, self::MOST_KEYWORDS ) : array() as $entry ) {
			$names[] = is_array( $entry ) ? $entry['keyword'] ?? '' : '';
		}
		$unique = array();
		foreach ( $names as $name ) {
			$name = self::line( $name, self::LONGEST_NAME );
			$key  = function_exists( 'mb_strtolower' ) ? mb_strtolower( $name, 'UTF-8' ) : strtolower( $name );
			if ( '' !== $name && ! isset( $unique[ $key ] ) ) {
				$unique[ $key ] = $name;
			}
		}
		return array_values( $unique );
	}

	private static function bad( string $sentence ): WP_Error {
		return new WP_Error( 'copydesk_bad_item', $sentence );
	}
}
