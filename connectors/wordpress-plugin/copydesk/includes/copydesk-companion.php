<?php
/**
 * Plugin Name: Copydesk Companion
 * Description: Lets Copydesk put each post on this site exactly once, in one request. Adds no page, no menu and no setting.
 * Version: 1.0.1
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
 * A post begins as what WordPress's editor begins with, an "auto-draft" without a text, which only
 * the row makes anything of: so there is no claim that no post belongs to, at whatever point PHP
 * dies, and WordPress itself clears away what was never claimed. The row says "unfinished" until
 * the post has all of its fields. A row whose post was deleted counts as none.
 *
 * The same hash is the name of a field of the post: by the indexes on both names a post is found
 * however many there are. No request reads all posts; see adopt() for those of other ways.
 */

if ( ! defined( 'ABSPATH' ) || class_exists( 'Copydesk_Companion', false ) ) {
	return; // Called by itself, or there twice: as an mu-plugin and as a plugin.
}

// The block keeps PHP from declaring the class before the line above could return.
if ( true ) {
	final class Copydesk_Companion {
		const VERSION = '1.0.1';
		const API     = 'copydesk/v1';
		const JSON_LD = '_copydesk_json_ld';
		const CLAIM   = 'copydesk_item_';
		const FIELD   = '_copydesk_item_';

		/** The option with the number of a post up to which all are known; see adopt(). */
		const SEEN = 'copydesk_seen';

		/** How many of the newest posts are looked at again, for one may be stored late. */
		const AGAIN = 50;

		/** How many posts are read at a time. */
		const BATCH = 500;

		/** Seconds that a request waits for another one about the same item. */
		const WAIT = 10;

		/** What a claim says behind the post's id until the post has all of its fields. */
		const UNFINISHED = ' unfinished';

		const SEO     = array(
			'yoast'     => array( '_yoast_wpseo_title', '_yoast_wpseo_metadesc', '_yoast_wpseo_focuskw' ),
			'rank_math' => array( 'rank_math_title', 'rank_math_description', 'rank_math_focus_keyword' ),
		);

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
				array( self::JSON_LD ),
				...array_values( array_intersect_key( self::SEO, array_flip( $plugins ) ) )
			);
			foreach ( $keys as $key ) {
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

		public static function register_routes(): void {
			$may = static function () {
				$may = get_post_type_object( 'post' )->cap;
				if ( current_user_can( $may->edit_posts ) && current_user_can( $may->create_posts ) ) {
					return true;
				}
				$sentence = 'Sorry, you are not allowed to create posts as this user.';
				return self::error( 'rest_cannot_create', $sentence, rest_authorization_required_code() );
			};
			register_rest_route(
				self::API,
				'/posts/(?P<item>[A-Za-z0-9_.~-]{1,191})',
				array(
					// A query or a body may bring an item too, of any type; see item().
					'args' => array(
						'item' => array(
							'type'              => 'string',
							'validate_callback' => 'rest_validate_request_arg',
						),
					),
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

		/** Answers GET /copydesk/v1/posts/<item id>: the post, whatever its status. */
		public static function get( WP_REST_Request $request ) {
			$copies = self::copies( self::item( $request ) );
			if ( ! $copies || self::is_begun( $copies[0] ) ) {
				return self::error( 'copydesk_no_post', 'There is no post of this item.', 404 );
			}
			return self::shown( $copies[0]->ID, self::fields( $request['_fields'] ) );
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
			$item = self::item( $request );
			$body = $request->is_json_content_type() ? $request->get_json_params() : $request->get_body_params();
			$body = is_array( $body ) ? $body : array();
			unset( $body['id'] ); // It would take the place of the id in the path of wp/v2.
			$want = $body['status'] ?? 'draft';
			foreach ( array( $want, self::raw( $body, 'title' ), self::raw( $body, 'content' ), self::raw( $body, 'excerpt' ) ) as $text ) {
				if ( ! is_string( $text ) ) { // WordPress itself fails over such a title.
					return self::error( 'rest_invalid_param', 'Invalid parameter.', 400 );
				}
			}
			if ( ! in_array( $want, array( 'draft', 'pending' ), true )
				&& ! current_user_can( get_post_type_object( 'post' )->cap->publish_posts ) ) {
				$sentence = 'Sorry, you are not allowed to publish posts in this post type.';
				return self::error( 'rest_cannot_publish', $sentence, rest_authorization_required_code() );
			}
			if ( ! self::lock( $item ) ) {
				return self::error( 'copydesk_busy', 'Another request is putting up this post.', 503 );
			}
			try {
				return self::put_alone( $item, $body, $want );
			} finally {
				self::unlock( $item );
			}
		}

		/** The item's id of the path, whatever a query or a body says. */
		private static function item( WP_REST_Request $request ): string {
			return $request->get_url_params()['item'];
		}

		/** What put() does; safe where another does the same at this moment, only more work. */
		private static function put_alone( string $item, array $body, string $want ) {
			$fields     = self::fields( $body['_fields'] ?? '' );
			$copies     = self::copies( $item );
			if ( $copies && self::is_begun( $copies[0] ) && ! current_user_can( 'edit_post', $copies[0]->ID ) ) {
				// Another user's request began it and died, unless it goes on at this moment.
				if ( strtotime( current_time( 'mysql' ) ) - strtotime( $copies[0]->post_modified ) < MINUTE_IN_SECONDS ) {
					return self::error( 'copydesk_busy', 'Another request is putting up this post.', 503 );
				}
				wp_delete_post( $copies[0]->ID, true );
				$copies = array();
			}
			$unfinished = ! $copies || self::UNFINISHED === substr( self::claim_value( $item ), -strlen( self::UNFINISHED ) );
			if ( $copies && ! self::is_draft( $copies[0] )
				&& ! ( $unfinished && self::may_fill( $copies[0], $body ) ) ) {
				return self::shown( $copies[0]->ID, $fields );
			}
			$left_out = array();
			$fill     = ! $copies || self::is_begun( $copies[0] ) || ( $unfinished && self::may_fill( $copies[0], $body ) );
			if ( $fill ) {
				$body = self::with_term_ids( $body, $left_out );
				if ( is_wp_error( $body ) ) {
					return $body;
				}
			}
			$made = $copies ? 0 : self::begin();
			if ( ! $copies && ! $made ) {
				return self::error( 'copydesk_not_stored', 'Could not insert post into the database.', 500 );
			}
			$mine = $copies ? $copies[0]->ID : $made;
			$id   = self::claim( $item, $mine, $fill );
			if ( $made && $id !== $made ) {
				wp_delete_post( $made, true ); // Another request was quicker; this one is empty.
			}
			foreach ( $copies as $copy ) {
				if ( $copy->ID !== $id && self::is_draft( $copy ) && self::is_unedited( $copy, $body ) ) {
					self::call( 'DELETE', "/wp/v2/posts/{$copy->ID}", array( 'force' => true ) );
				}
			}
			clean_post_cache( $id ); // Another request may have shown it in the meantime.
			$post = get_post( $id );
			if ( ! $post ) {
				return self::error( 'copydesk_gone', 'The post was deleted at this moment.', 503 );
			}
			// What another request began may be as empty still, should that one have died.
			$fill    = self::is_begun( $post ) || ( $fill && $id === $mine );
			$changes = array_intersect_key( $body, array_flip( array( 'status', 'date', 'date_gmt', '_fields' ) ) );
			if ( $fill ) {
				$changes += $body;
				if ( ! self::is_draft( $post ) ) {
					unset( $changes['status'], $changes['date'], $changes['date_gmt'] );
				}
			}
			if ( '' !== $post->post_name ) {
				unset( $changes['slug'] ); // It has one, its owner's perhaps.
			} elseif ( isset( $body['slug'] ) ) {
				$changes['slug'] = $body['slug'];
			}
			$answer = null;
			if ( $fill || ( self::is_draft( $post ) && 'draft' !== $want ) ) {
				$answer = self::change( $id, $changes );
				if ( $answer->is_error() ) {
					if ( $made === $id && self::is_begun( get_post( $id ) ) ) {
						wp_delete_post( $id, true );
					}
					return $answer;
				}
			}
			if ( $fill ) {
				self::finish( $item, $id );
			}
			return self::shown( $id, $fields, $id === $made ? 201 : 200, $left_out, $answer );
		}

		/** A post of ours is deleted for good: its claim goes, unless another post has it. */
		public static function forget( int $post_id ): void {
			global $wpdb;
			foreach ( array_keys( (array) get_post_meta( $post_id ) ) as $field ) {
				if ( 0 !== strpos( $field, self::FIELD ) ) {
					continue;
				}
				$row = self::CLAIM . substr( $field, strlen( self::FIELD ) );
				foreach ( array( (string) $post_id, $post_id . self::UNFINISHED ) as $has ) {
					$wpdb->delete( $wpdb->options, array( 'option_name' => $row, 'option_value' => $has ) );
				}
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
				foreach ( array_merge( $names, array( self::SEEN ) ) as $name ) {
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
		private static function copies( string $item ): array {
			global $wpdb;
			self::adopt();
			$claimed = self::claimed( $item );
			$ids     = $wpdb->get_col( $wpdb->prepare( "SELECT post_id FROM $wpdb->postmeta WHERE meta_key = %s", self::field( $item ) ) );
			$copies  = array();
			foreach ( array_unique( array_map( 'intval', array_merge( array( $claimed ), $ids ) ) ) as $id ) {
				$post = $id ? get_post( $id ) : null;
				if ( $post && 'post' === $post->post_type ) {
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

		/**
		 * Give every post that carries a marker and came by another way its claim and its field: such
		 * as were made while this plugin was not there. Posts are read once, in the order of their
		 * numbers; SEEN says how far. All that was put up here has its field and is passed over.
		 */
		private static function adopt(): void {
			global $wpdb;
			$seen   = (int) get_option( self::SEEN, 0 );
			$newest = (int) $wpdb->get_var( "SELECT MAX(ID) FROM $wpdb->posts" );
			for ( $from = $seen; $from < $newest; $from += self::BATCH ) {
				$sql = "SELECT p.ID FROM $wpdb->posts p LEFT JOIN $wpdb->postmeta m ON m.post_id = p.ID AND m.meta_key > %s AND m.meta_key < %s WHERE p.ID > %d AND p.ID <= %d AND p.post_type = 'post' AND m.meta_id IS NULL";
				$ids = $wpdb->get_col( $wpdb->prepare( $sql, self::FIELD, self::FIELD . 'g', $from, $from + self::BATCH ) );
				if ( $ids ) {
					$ids = implode( ',', array_map( 'intval', $ids ) );
					foreach ( $wpdb->get_results( "SELECT ID, post_status, post_content FROM $wpdb->posts WHERE ID IN ($ids) ORDER BY ID" ) as $post ) {
						self::adopt_one( $post );
					}
				}
				$known = min( $from + self::BATCH, $newest ) - self::AGAIN;
				if ( $known >= $seen + self::AGAIN ) {
					update_option( self::SEEN, (string) $known );
					$seen = $known;
				}
			}
		}

		/** A draft may lack its terms: PHP or a connection may have died while it was made. */
		private static function adopt_one( object $post ): void {
			$id = (int) $post->ID;
			preg_match_all( '/<!-- copydesk:([A-Za-z0-9_.~-]{1,191}) -->/', $post->post_content, $found );
			foreach ( array_unique( $found[1] ) as $item ) {
				self::claim( $item, $id, 'draft' === $post->post_status );
				self::mark( $item, $id );
			}
		}

		/** The post that has the item, 0 where none has or it was deleted. */
		private static function claimed( string $item ): int {
			$id = (int) self::claim_value( $item );
			return $id && self::exists( $id ) ? $id : 0;
		}

		/** Claim an item for a post; gives the post that has it, this one or another. */
		private static function claim( string $item, int $id, bool $unfinished ): int {
			global $wpdb;
			$row   = self::row( $item );
			$value = $id . ( $unfinished ? self::UNFINISHED : '' );
			if ( $wpdb->query( $wpdb->prepare( "INSERT IGNORE INTO $wpdb->options (option_name, option_value, autoload) VALUES (%s, %s, 'no')", $row, $value ) ) ) {
				self::mark( $item, $id );
				return $id;
			}
			$has = self::claim_value( $item );
			while ( ! self::exists( (int) $has ) ) {
				// Its post was deleted. Of several requests that see that, one changes the row.
				$wpdb->update( $wpdb->options, array( 'option_value' => $value ), array( 'option_name' => $row, 'option_value' => $has ) );
				$before = $has;
				$has    = self::claim_value( $item );
				if ( $has === $before ) {
					return $id; // The database takes no writes; the next request sees the same.
				}
			}
			if ( (int) $has === $id ) {
				self::mark( $item, $id );
			}
			return (int) $has;
		}

		/** Let a post be found by its field. */
		private static function mark( string $item, int $id ): void {
			if ( ! get_post_meta( $id, self::field( $item ) ) ) {
				add_post_meta( $id, self::field( $item ), '1' );
			}
		}

		/** The post has all of its fields. */
		private static function finish( string $item, int $id ): void {
			global $wpdb;
			$row = array( 'option_name' => self::row( $item ), 'option_value' => $id . self::UNFINISHED );
			$wpdb->update( $wpdb->options, array( 'option_value' => (string) $id ), $row );
		}

		/**
		 * Let one request at a time put up an item, so that what plugins do when a post is published
		 * is done once. False where it has to be sent again later. A database that knows no such
		 * locks gives none; the claim is what keeps the post unique.
		 */
		private static function lock( string $item ): bool {
			global $wpdb;
			$quiet = $wpdb->suppress_errors();
			$got   = $wpdb->get_var( $wpdb->prepare( 'SELECT GET_LOCK(%s, %d)', self::lock_name( $item ), self::WAIT ) );
			$wpdb->suppress_errors( $quiet );
			return null === $got || '0' !== (string) $got;
		}

		/** The database does it by itself where PHP dies. */
		private static function unlock( string $item ): void {
			global $wpdb;
			$quiet = $wpdb->suppress_errors();
			$wpdb->get_var( $wpdb->prepare( 'SELECT RELEASE_LOCK(%s)', self::lock_name( $item ) ) );
			$wpdb->suppress_errors( $quiet );
		}

		/** Names of locks are those of a whole server, and 64 characters long. */
		private static function lock_name( string $item ): string {
			global $wpdb;
			return 'copydesk_' . md5( DB_NAME . ' ' . $wpdb->options . ' ' . $item );
		}

		/** The row as it is in the database: a cache would hide what another request just wrote. */
		private static function claim_value( string $item ): string {
			global $wpdb;
			return (string) $wpdb->get_var( $wpdb->prepare( "SELECT option_value FROM $wpdb->options WHERE option_name = %s", self::row( $item ) ) );
		}

		private static function row( string $item ): string {
			return self::CLAIM . hash( 'sha256', $item );
		}

		private static function field( string $item ): string {
			return self::FIELD . hash( 'sha256', $item );
		}

		private static function exists( int $id ): bool {
			global $wpdb;
			return (bool) $wpdb->get_var( $wpdb->prepare( "SELECT ID FROM $wpdb->posts WHERE ID = %d AND post_type = 'post'", $id ) );
		}

		private static function is_draft( WP_Post $post ): bool {
			return in_array( $post->post_status, array( 'draft', 'auto-draft' ), true );
		}

		/** Whether it is one that begin() made and that nobody wrote a text into. */
		private static function is_begun( ?WP_Post $post ): bool {
			return $post && 'auto-draft' === $post->post_status;
		}

		/** Whether a post may get its fields again: not where its owner decided about it. */
		private static function may_fill( WP_Post $post, array $body ): bool {
			return 'trash' !== $post->post_status && self::is_unedited( $post, $body ) && current_user_can( 'edit_post', $post->ID );
		}

		/** Whether a draft still has the text that the body sends; markup is the site's to change. */
		private static function is_unedited( WP_Post $post, array $body ): bool {
			$words = static function ( string $markup ): string {
				$text = html_entity_decode( wp_strip_all_tags( $markup ), ENT_QUOTES | ENT_HTML5, 'UTF-8' );
				return trim( (string) preg_replace( '/\s+/u', ' ', $text ) );
			};
			return $words( $post->post_title ) === $words( self::raw( $body, 'title' ) )
				&& $words( $post->post_content ) === $words( self::raw( $body, 'content' ) );
		}

		/** A text of the body, which may be the member "raw" of an object. */
		private static function raw( array $body, string $field ) {
			$value = $body[ $field ] ?? '';
			return is_array( $value ) ? $value['raw'] ?? '' : $value;
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

		/** An empty post as WordPress's editor begins with; the site forgets it after a week. 0 for none. */
		private static function begin(): int {
			$id = wp_insert_post( array( 'post_title' => __( 'Auto Draft' ), 'post_status' => 'auto-draft' ), false, false );
			return is_int( $id ) ? $id : 0;
		}

		/** Change a post whose earlier state nobody will want back as a revision. */
		private static function change( int $id, array $fields ): WP_REST_Response {
			add_filter( 'wp_revisions_to_keep', '__return_zero', PHP_INT_MAX );
			$answer = self::call( 'POST', "/wp/v2/posts/$id", $fields );
			remove_filter( 'wp_revisions_to_keep', '__return_zero', PHP_INT_MAX );
			return $answer;
		}

		/** What the client asked to see, "" for all of it. */
		private static function fields( $asked ): string {
			return is_string( $asked ) ? $asked : '';
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
		private static function shown( int $id, string $fields, int $status = 200, array $left_out = array(), ?WP_REST_Response $answer = null ): WP_REST_Response {
			foreach ( $answer ? array() : array( 'edit', 'view' ) as $context ) {
				$query  = array( 'context' => $context ) + ( '' === $fields ? array() : array( '_fields' => $fields ) );
				$answer = self::call( 'GET', "/wp/v2/posts/$id", $query );
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
