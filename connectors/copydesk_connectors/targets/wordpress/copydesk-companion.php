<?php
/**
 * Plugin Name: Copydesk Companion
 * Description: Lets Copydesk put each post on this site exactly once, in one request. Adds no page, no menu and no setting.
 * Version: 1.0.0
 * Requires at least: 6.1
 * Requires PHP: 7.4
 * License: GPL-2.0-or-later
 * License URI: https://www.gnu.org/licenses/old-licenses/gpl-2.0.html
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Put this file into wp-content/mu-plugins (it is active at once), or into wp-content/plugins and
 * activate it. To remove it, delete it: the posts stay as they are.
 *
 * It keeps, for each post, one row in the options table, copydesk_item_<hash of the item's id> =>
 * the post's id, never loaded by itself. The unique index on option_name is what makes an item id
 * unique on this site: whoever writes the row first has the post, everybody else takes that one.
 * The row is written after the post, which is a draft until then, so that there is no claim that
 * no post belongs to, at whatever point PHP dies; a row whose post was deleted counts as none.
 */

if ( ! defined( 'ABSPATH' ) || class_exists( 'Copydesk_Companion', false ) ) {
	return; // Called by itself, or there twice: as an mu-plugin and as a plugin.
}

// The block keeps PHP from declaring the class before the line above could return.
if ( true ) {
	final class Copydesk_Companion {
		const VERSION = '1.0.0';
		const API     = 'copydesk/v1';
		const ID      = '_copydesk_id';
		const JSON_LD = '_copydesk_json_ld';
		const CLAIM   = 'copydesk_item_';
		const SEO     = array(
			'yoast'     => array( '_yoast_wpseo_title', '_yoast_wpseo_metadesc', '_yoast_wpseo_focuskw' ),
			'rank_math' => array( 'rank_math_title', 'rank_math_description', 'rank_math_focus_keyword' ),
		);

		/** How far WordPress may have numbered a slug because others had it. */
		const NUMBERED = 9;

		/** Put the hooks in. */
		public static function boot(): void {
			add_action( 'init', array( __CLASS__, 'register_fields' ), 20 );
			add_action( 'rest_api_init', array( __CLASS__, 'register_routes' ) );
			add_filter( 'rest_namespace_index', array( __CLASS__, 'tell_version' ) );
			add_action( 'wp_head', array( __CLASS__, 'print_json_ld' ) );
			add_action( 'before_delete_post', array( __CLASS__, 'forget' ) );
			register_activation_hook( __FILE__, array( __CLASS__, 'activate' ) );
		}

		/** Let those who may edit a post read and write our fields of it, and its SEO fields. */
		public static function register_fields(): void {
			$plugins = array();
			if ( defined( 'WPSEO_VERSION' ) ) {
				$plugins[] = 'yoast';
			}
			if ( class_exists( 'RankMath', false ) ) {
				$plugins[] = 'rank_math';
			}
			/**
			 * Filters whose SEO fields can be written.
			 *
			 * @param string[] $plugins The active ones among "yoast" and "rank_math".
			 */
			$plugins = (array) apply_filters( 'copydesk_seo_plugins', $plugins );
			$keys    = array_merge(
				array( self::ID, self::JSON_LD ),
				...array_values( array_intersect_key( self::SEO, array_flip( $plugins ) ) )
			);
			foreach ( $keys as $key ) {
				register_post_meta(
					'post',
					$key,
					array(
						'type'          => 'string',
						'single'        => true,
						'show_in_rest'  => true,
						'auth_callback' => static function ( $allowed, $key, $post_id ) {
							return current_user_can( 'edit_post', $post_id );
						},
					)
				);
			}
		}

		public static function register_routes(): void {
			$may = static function () {
				if ( current_user_can( get_post_type_object( 'post' )->cap->edit_posts ) ) {
					return true;
				}
				$sentence = 'Sorry, you are not allowed to create posts as this user.';
				return self::error( 'rest_cannot_create', $sentence, rest_authorization_required_code() );
			};
			register_rest_route(
				self::API,
				'/posts/(?P<item>[A-Za-z0-9_.~-]{1,191})',
				array(
					array(
						'methods'             => WP_REST_Server::READABLE,
						'callback'            => array( __CLASS__, 'get' ),
						'permission_callback' => $may,
					),
					array(
						'methods'             => WP_REST_Server::EDITABLE,
						'callback'            => array( __CLASS__, 'put' ),
						'permission_callback' => $may,
					),
				)
			);
		}

		/** Answers GET /copydesk/v1/. */
		public static function tell_version( WP_REST_Response $response ): WP_REST_Response {
			if ( self::API === ( $response->data['namespace'] ?? '' ) ) {
				$response->data['version'] = self::VERSION;
			}
			return $response;
		}

		/** Answers GET /copydesk/v1/posts/<item id>?slug=…: the post, whatever its status. */
		public static function get( WP_REST_Request $request ) {
			$copies = self::copies( $request['item'], (string) $request['slug'] );
			if ( ! $copies ) {
				return self::error( 'copydesk_no_post', 'There is no post of this item.', 404 );
			}
			return self::shown( $copies[0]->ID );
		}

		/**
		 * Answers PUT and POST /copydesk/v1/posts/<item id>: finds or makes the post and gives it
		 * the status that is asked for.
		 *
		 * The body is that of POST /wp/v2/posts; tags and categories may be names as well as ids.
		 * What is no draft any more, trash included, is left and answered as it is. Names of tags
		 * that the user may not make are left out and listed in the answer as copydesk.left_out.
		 */
		public static function put( WP_REST_Request $request ) {
			$item = $request['item'];
			$body = $request->is_json_content_type() ? $request->get_json_params() : $request->get_body_params();
			$body = is_array( $body ) ? $body : array();
			$want = $body['status'] ?? 'draft';
			if ( ! in_array( $want, array( 'draft', 'pending' ), true )
				&& ! current_user_can( get_post_type_object( 'post' )->cap->publish_posts ) ) {
				$sentence = 'Sorry, you are not allowed to publish posts in this post type.';
				return self::error( 'rest_cannot_publish', $sentence, rest_authorization_required_code() );
			}
			$copies = self::copies( $item, (string) ( $body['slug'] ?? '' ) );
			if ( $copies && ! self::is_draft( $copies[0] ) ) {
				return self::shown( $copies[0]->ID );
			}
			$left_out = array();
			$refill   = $copies && ! self::claimed( $item ) && self::is_unedited( $copies[0], $body );
			if ( ! $copies || $refill ) {
				// New, or PHP may have died before it had its terms: then it gets all of it again.
				$body['meta'] = array( self::ID => $item ) + (array) ( $body['meta'] ?? array() );
				$body         = self::with_term_ids( $body, $left_out );
				if ( is_wp_error( $body ) ) {
					return $body;
				}
			}
			$made   = 0;
			$answer = null;
			if ( ! $copies ) {
				$answer = self::make_draft( $body );
				if ( $answer->is_error() ) {
					return $answer;
				}
				$made = $answer->get_data()['id'];
			}
			$mine = $made ? $made : $copies[0]->ID;
			$id   = self::claim( $item, $mine );
			if ( $made && $id !== $made ) {
				wp_delete_post( $made, true ); // Another request was quicker; nobody has seen this one.
			}
			foreach ( $copies as $copy ) {
				if ( $copy->ID !== $id && self::is_draft( $copy ) && self::is_unedited( $copy, $body ) ) {
					self::call( 'DELETE', "/wp/v2/posts/{$copy->ID}", array( 'force' => true ) );
				}
			}
			clean_post_cache( $id ); // Another request may have shown it in the meantime.
			$post    = get_post( $id );
			if ( ! $post ) {
				return self::error( 'copydesk_gone', 'The post was deleted at this moment.', 503 );
			}
			$refill  = $refill && $id === $mine;
			$changes = array_intersect_key( $body, array_flip( array( 'status', 'date', 'date_gmt', 'slug' ) ) );
			if ( '' !== $post->post_name || 'pending' === $want || 'draft' === $want ) {
				unset( $changes['slug'] ); // It has one, its owner's perhaps, or had one from the start.
			}
			if ( ! self::is_draft( $post ) ) {
				$answer = null;
			} elseif ( 'draft' !== $want || $refill ) {
				$answer = self::call( 'POST', "/wp/v2/posts/$id", $refill ? $changes + array_diff_key( $body, array( 'slug' => '' ) ) : $changes );
				if ( $answer->is_error() ) {
					return $answer;
				}
			}
			return self::shown( $id, $id === $made ? 201 : 200, $left_out, $id === $mine ? $answer : null );
		}

		/** A post of ours is deleted for good: its claim goes, unless another post has it. */
		public static function forget( int $post_id ): void {
			global $wpdb;
			$item = get_post_meta( $post_id, self::ID, true );
			if ( is_string( $item ) && '' !== $item ) {
				$row = array( 'option_name' => self::row( $item ), 'option_value' => (string) $post_id );
				$wpdb->delete( $wpdb->options, $row );
			}
		}

		/** Print the JSON-LD of the post that the page shows, where its text has none. */
		public static function print_json_ld(): void {
			$post = is_singular( 'post' ) ? get_queried_object() : null;
			if ( ! $post instanceof WP_Post || post_password_required( $post )
				|| false !== stripos( $post->post_content, 'application/ld+json' ) ) {
				return;
			}
			$data = json_decode( (string) get_post_meta( $post->ID, self::JSON_LD, true ) );
			if ( is_object( $data ) || is_array( $data ) ) {
				// JSON_HEX_TAG: no </script> in a text ends the element.
				$flags = JSON_HEX_TAG | JSON_HEX_AMP | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE;
				// phpcs:ignore WordPress.Security.EscapeOutput.OutputNotEscaped
				echo '<script type="application/ld+json">', wp_json_encode( $data, $flags ), "</script>\n";
			}
		}

		public static function activate(): void {
			register_uninstall_hook( __FILE__, array( __CLASS__, 'uninstall' ) );
		}

		/** Take our rows out of the options of every site of the installation. */
		public static function uninstall(): void {
			global $wpdb;
			foreach ( is_multisite() ? get_sites( array( 'fields' => 'ids', 'number' => 0 ) ) : array( 0 ) as $blog ) {
				$table = $blog ? $wpdb->get_blog_prefix( $blog ) . 'options' : $wpdb->options;
				$names = $wpdb->get_col( $wpdb->prepare( "SELECT option_name FROM $table WHERE option_name > %s AND option_name < %s", self::CLAIM, self::CLAIM . 'g' ) );
				foreach ( $names as $name ) {
					$wpdb->delete( $table, array( 'option_name' => $name ) );
				}
			}
		}

		/**
		 * Our copies of an item: what readers see first, then what the owner trashed, then drafts;
		 * of each the one that the claim names, then the oldest.
		 *
		 * @return WP_Post[]
		 */
		private static function copies( string $item, string $slug ): array {
			global $wpdb;
			$marker  = "<!-- copydesk:$item -->";
			$claimed = self::claimed( $item );
			$ids     = $claimed ? array( $claimed ) : array();
			$slug    = sanitize_title( $slug );
			if ( '' !== $slug ) {
				$slugs = array( $slug, $slug . '__trashed' );
				for ( $n = 2; $n <= self::NUMBERED; $n++ ) {
					array_push( $slugs, "$slug-$n", "$slug-{$n}__trashed" );
				}
				$holes = implode( ',', array_fill( 0, count( $slugs ), '%s' ) );
				$sql   = "SELECT ID FROM $wpdb->posts WHERE post_name IN ($holes) AND post_type = 'post' AND INSTR(post_content, %s) > 0";
				$ids   = array_merge( $ids, $wpdb->get_col( $wpdb->prepare( $sql, array_merge( $slugs, array( $marker ) ) ) ) );
			}
			if ( ! $ids ) {
				$sql = "SELECT post_id FROM $wpdb->postmeta WHERE meta_key = %s AND meta_value = %s";
				$ids = $wpdb->get_col( $wpdb->prepare( $sql, self::ID, $item ) );
			}
			if ( ! $ids ) {
				$sql = "SELECT ID FROM $wpdb->posts WHERE post_type = 'post' AND INSTR(post_content, %s) > 0";
				$ids = $wpdb->get_col( $wpdb->prepare( $sql, $marker ) );
			}
			$copies = array();
			foreach ( array_unique( array_map( 'intval', $ids ) ) as $id ) {
				$post = get_post( $id );
				// Databases compare without regard to capitals; ids have them.
				if ( $post && 'post' === $post->post_type && ( $id === $claimed
					|| get_post_meta( $id, self::ID, true ) === $item
					|| false !== strpos( $post->post_content, $marker ) ) ) {
					$copies[] = $post;
				}
			}
			$rank = static function ( WP_Post $post ) use ( $claimed ): array {
				$state = 'trash' === $post->post_status ? 1 : ( self::is_draft( $post ) ? 2 : 0 );
				return array( $state, $post->ID === $claimed ? 0 : 1, $post->ID );
			};
			usort(
				$copies,
				static function ( $a, $b ) use ( $rank ) {
					return $rank( $a ) <=> $rank( $b );
				}
			);
			return $copies;
		}

		/** The post that has the item, 0 where none has or it was deleted. */
		private static function claimed( string $item ): int {
			$id = self::claim_value( $item );
			return '' !== $id && self::exists( (int) $id ) ? (int) $id : 0;
		}

		/** Claim an item for a post; gives the post that has it, this one or another. */
		private static function claim( string $item, int $id ): int {
			global $wpdb;
			$row = self::row( $item );
			$wpdb->query( $wpdb->prepare( "INSERT IGNORE INTO $wpdb->options (option_name, option_value, autoload) VALUES (%s, %s, 'no')", $row, (string) $id ) );
			$has = self::claim_value( $item );
			while ( ! self::exists( (int) $has ) ) {
				// Its post was deleted. Of several requests that see that, one changes the row.
				$wpdb->update( $wpdb->options, array( 'option_value' => (string) $id ), array( 'option_name' => $row, 'option_value' => $has ) );
				$before = $has;
				$has    = self::claim_value( $item );
				if ( $has === $before ) {
					return $id; // The database takes no writes; the next request sees the same.
				}
			}
			return (int) $has;
		}

		/** The row as it is in the database: a cache would hide what another request just wrote. */
		private static function claim_value( string $item ): string {
			global $wpdb;
			return (string) $wpdb->get_var( $wpdb->prepare( "SELECT option_value FROM $wpdb->options WHERE option_name = %s", self::row( $item ) ) );
		}

		private static function row( string $item ): string {
			return self::CLAIM . hash( 'sha256', $item );
		}

		private static function exists( int $id ): bool {
			global $wpdb;
			return (bool) $wpdb->get_var( $wpdb->prepare( "SELECT ID FROM $wpdb->posts WHERE ID = %d AND post_type = 'post'", $id ) );
		}

		private static function is_draft( WP_Post $post ): bool {
			return in_array( $post->post_status, array( 'draft', 'auto-draft' ), true );
		}

		/** Whether a draft still has the text that the body sends; markup is the site's to change. */
		private static function is_unedited( WP_Post $post, array $body ): bool {
			$words = static function ( string $markup ): string {
				$text = html_entity_decode( wp_strip_all_tags( $markup ), ENT_QUOTES | ENT_HTML5, 'UTF-8' );
				return trim( (string) preg_replace( '/\s+/u', ' ', $text ) );
			};
			$raw   = static function ( $field ): string {
				return (string) ( is_array( $field ) ? $field['raw'] ?? '' : $field );
			};
			return $words( $post->post_title ) === $words( $raw( $body['title'] ?? '' ) )
				&& $words( $post->post_content ) === $words( $raw( $body['content'] ?? '' ) );
		}

		/** The body with ids in place of the names of categories and tags, made where the user may. */
		private static function with_term_ids( array $body, array &$left_out ) {
			foreach ( array( 'categories' => 'category', 'tags' => 'post_tag' ) as $field => $taxonomy ) {
				$ids = array();
				foreach ( (array) ( $body[ $field ] ?? array() ) as $name ) {
					if ( ! is_string( $name ) ) {
						$ids[] = $name;
						continue;
					}
					$term = get_term_by( 'name', $name, $taxonomy );
					if ( $term ) {
						$ids[] = $term->term_id;
						continue;
					}
					$answer = self::call( 'POST', "/wp/v2/$field", array( 'name' => $name ) );
					$data   = $answer->get_data();
					if ( ! $answer->is_error() || 'term_exists' === $data['code'] ) {
						$ids[] = $data['id'] ?? $data['data']['term_id'];
					} elseif ( 'tags' === $field ) {
						$left_out[] = $name;
					} else {
						return $answer->as_error();
					}
				}
				if ( isset( $body[ $field ] ) ) {
					$body[ $field ] = $ids;
				}
			}
			return $body;
		}

		/**
		 * Make the post without showing it. It gets its slug when it is shown: drafts of the same slug
		 * that other requests make at this moment would number it. What stays a draft gets it now.
		 */
		private static function make_draft( array $body ): WP_REST_Response {
			$slug = in_array( $body['status'] ?? 'draft', array( 'draft', 'pending' ), true ) ? $body['slug'] ?? '' : '';
			$slug = is_string( $slug ) ? sanitize_title( $slug ) : '';
			$name = static function ( array $row ) use ( $slug ): array {
				return 'post' === $row['post_type'] && '' !== $slug ? array( 'post_name' => $slug ) + $row : $row;
			};
			unset( $body['slug'] );
			add_filter( 'wp_insert_post_data', $name );
			$answer = self::call( 'POST', '/wp/v2/posts', array( 'status' => 'draft' ) + $body );
			remove_filter( 'wp_insert_post_data', $name );
			return $answer;
		}

		/** A call as the client could make it, with every check of WordPress. */
		private static function call( string $method, string $path, array $fields ): WP_REST_Response {
			$request = new WP_REST_Request( $method, $path );
			if ( 'POST' === $method ) {
				$request->set_body_params( $fields );
			} else {
				$request->set_query_params( $fields );
			}
			return rest_do_request( $request );
		}

		/** The post as wp/v2 answers it, as much of it as the user may see. */
		private static function shown( int $id, int $status = 200, array $left_out = array(), ?WP_REST_Response $answer = null ): WP_REST_Response {
			foreach ( $answer ? array() : array( 'edit', 'view' ) as $context ) {
				$answer = self::call( 'GET', "/wp/v2/posts/$id", array( 'context' => $context ) );
				if ( ! $answer->is_error() ) {
					break;
				}
			}
			// Another's trash or draft: that it is there has to be known, what is in it not.
			$data = $answer->is_error() ? array( 'id' => $id, 'status' => get_post_status( $id ), 'link' => '' ) : $answer->get_data();
			return new WP_REST_Response( $data + array( 'copydesk' => array( 'left_out' => $left_out ) ), $status );
		}

		private static function error( string $code, string $sentence, int $status ): WP_Error {
			// phpcs:ignore WordPress.WP.I18n -- WordPress's own sentences, in its translations.
			return new WP_Error( $code, __( $sentence ), array( 'status' => $status ) );
		}
	}

	Copydesk_Companion::boot();
}
