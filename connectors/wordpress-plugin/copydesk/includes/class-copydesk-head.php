<?php
/**
 * What the head of a page says about a post: its description and Open Graph, and JSON-LD for search
 * engines. copydesk-connect may write the field with it, and those of SEO plugins.
 *
 * Where another plugin describes the post itself, its description gets how the text was made and the
 * page gets no second one.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

require_once __DIR__ . '/class-copydesk-post.php';

/** Prints what the head lacks. */
final class Copydesk_Head {
	/** @var int The depth of the buffer with what WordPress and other plugins put into the head. */
	private static $buffer = 0;

	private const ARTICLES = array( 'Article', 'BlogPosting', 'NewsArticle', 'TechArticle' );

	/** @var bool Whether an SEO plugin described the post of this page. */
	private static $is_described = false;

	/** Put the hooks in. */
	public static function boot(): void {
		add_action( 'init', array( __CLASS__, 'register_fields' ), 20 );
		// SEO plugins print at 1.
		add_action( 'wp_head', array( __CLASS__, 'begin' ), 0 );
		add_action( 'wp_head', array( __CLASS__, 'print_description' ), 98 );
		add_action( 'wp_head', array( __CLASS__, 'print_json_ld' ), 99 );
		add_filter( 'wpseo_schema_article', array( __CLASS__, 'add_to_article' ) );
		add_filter( 'rank_math/json_ld', array( __CLASS__, 'add_to_graph' ), 99 );
	}

	/** Let those who may edit a post read and write its JSON-LD and its SEO fields by REST. */
	public static function register_fields(): void {
		foreach ( array_merge( array( Copydesk_Post::JSON_LD ), ...array_values( Copydesk_Post::seo_fields() ) ) as $key ) {
			register_post_meta(
				'post',
				$key,
				array(
					'type'          => 'string',
					'single'        => true,
					// WordPress shows what is in the context "view" to every visitor.
					'show_in_rest'  => array( 'schema' => array( 'context' => array( 'edit' ) ) ),
					'auth_callback' => static function ( $allowed, $key, $post_id ) {
						return current_user_can( 'edit_post', $post_id );
					},
				)
			);
		}
	}

	/** Keep what others print, so that nothing is printed twice. */
	public static function begin(): void {
		self::$buffer = self::ours() && ob_start() ? ob_get_level() : 0;
	}

	/** Print the description of the post that the page shows, and its Open Graph, where they are missing. */
	public static function print_description(): void {
		if ( ! self::$buffer || ob_get_level() !== self::$buffer ) {
			return;
		}
		$head        = (string) ob_get_flush();
		$post        = self::ours();
		$description = self::plain( $post->post_excerpt );
		$picture     = (string) get_the_post_thumbnail_url( $post, 'full' );
		$tags        = array(
			'description'    => $description,
			'og:type'        => 'article',
			'og:title'       => self::plain( $post->post_title ),
			'og:description' => $description,
			'og:url'         => (string) get_permalink( $post ),
			'og:site_name'   => self::plain( get_bloginfo( 'name' ) ),
			'og:image'       => $picture,
			'twitter:card'   => $picture ? 'summary_large_image' : 'summary',
		);
		foreach ( array_filter( $tags ) as $name => $value ) {
			$key = 0 === strpos( $name, 'og:' ) ? 'property' : 'name';
			if ( ! preg_match( "/<meta\\b[^>]*\\b$key=[\"']?$name\\b/i", $head ) ) {
				printf( "<meta %s=\"%s\" content=\"%s\">\n", esc_attr( $key ), esc_attr( $name ), esc_attr( $value ) );
			}
		}
	}

	/** Print the JSON-LD of the post that the page shows. */
	public static function print_json_ld(): void {
		$post = self::shown();
		if ( ! $post || self::$is_described || false !== stripos( $post->post_content, 'application/ld+json' ) ) {
			return;
		}
		// JSON_HEX_TAG: no </script> in a text ends the element.
		$flags = JSON_HEX_TAG | JSON_HEX_AMP | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE;
		// phpcs:ignore WordPress.Security.EscapeOutput.OutputNotEscaped
		echo '<script type="application/ld+json">', wp_json_encode( self::data( $post ), $flags ), "</script>\n";
	}

	/** The stored JSON-LD of a post with what the site says of it now; null for none. */
	public static function data( WP_Post $post ): ?array {
		$stored = json_decode( (string) get_post_meta( $post->ID, Copydesk_Post::JSON_LD, true ), true );
		if ( ! is_array( $stored ) || 'BlogPosting' !== ( $stored['@type'] ?? '' ) ) {
			return null;
		}
		$url = get_permalink( $post );
		$now = array(
			'headline'         => self::plain( $post->post_title ),
			'description'      => self::plain( $post->post_excerpt ),
			'url'              => $url,
			'mainEntityOfPage' => array( '@type' => 'WebPage', '@id' => $url ),
			'datePublished'    => get_post_time( 'c', true, $post ),
			'dateModified'     => get_post_modified_time( 'c', true, $post ),
			'image'            => (string) get_the_post_thumbnail_url( $post, 'full' ),
			'author'           => Copydesk_Post::author( (int) $post->post_author, 'Person' === ( $stored['author']['@type'] ?? '' ) ),
			'publisher'        => Copydesk_Post::organization(),
		);
		return array_merge( $stored, array_filter( $now ) );
	}

	/**
	 * Say in the Article of Yoast SEO how the text was made.
	 *
	 * @param mixed $article The Article as other filters left it.
	 * @return mixed
	 */
	public static function add_to_article( $article ) {
		if ( is_array( $article ) && self::shown() ) {
			self::$is_described           = true;
			$article['digitalSourceType'] = Copydesk_Post::DIGITAL_SOURCE;
		}
		return $article;
	}

	/**
	 * Say the same in the articles of Rank Math.
	 *
	 * @param mixed $graph Entities by names.
	 * @return mixed
	 */
	public static function add_to_graph( $graph ) {
		foreach ( is_array( $graph ) && self::shown() ? array_keys( $graph ) : array() as $name ) {
			if ( is_array( $graph[ $name ] ) && array_intersect( (array) ( $graph[ $name ]['@type'] ?? array() ), self::ARTICLES ) ) {
				self::$is_described                  = true;
				$graph[ $name ]['digitalSourceType'] = Copydesk_Post::DIGITAL_SOURCE;
			}
		}
		return $graph;
	}

	/** The post of ours that the page shows, if it has JSON-LD; null for none. */
	private static function shown(): ?WP_Post {
		$post = self::ours();
		return $post && self::data( $post ) ? $post : null;
	}

	/** The post of ours that the page shows, unless it needs a password; null for none. */
	private static function ours(): ?WP_Post {
		$post = is_singular( 'post' ) ? get_queried_object() : null;
		$ours = $post instanceof WP_Post && ! post_password_required( $post );
		return $ours && ( false !== strpos( $post->post_content, '<!-- copydesk:' ) || self::data( $post ) ) ? $post : null;
	}

	private static function plain( string $html ): string {
		return trim( html_entity_decode( wp_strip_all_tags( $html ), ENT_QUOTES | ENT_HTML5, 'UTF-8' ) );
	}
}
