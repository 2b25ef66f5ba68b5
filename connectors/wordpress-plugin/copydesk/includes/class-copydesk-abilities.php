<?php
/**
 * The actions of the items page as abilities, for programs that use WordPress's Abilities API.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

final class Copydesk_Abilities {
	/** The category, and the first part of each name. */
	const NAMESPACE = 'copydesk';

	/** How many items one page of list-items may have. */
	const MOST = 100;

	/** WordPress calls these hooks from 6.9 on. An older one never does, so nothing happens there. */
	public static function boot(): void {
		add_action( 'wp_abilities_api_categories_init', array( __CLASS__, 'register_category' ) );
		add_action( 'wp_abilities_api_init', array( __CLASS__, 'register' ) );
	}

	public static function register_category(): void {
		wp_register_ability_category(
			self::NAMESPACE,
			array(
				'label'       => __( 'Copydesk', 'copydesk' ),
				'description' => __( 'Publishes the posts of a Copydesk feed on this site.', 'copydesk' ),
			)
		);
	}

	public static function register(): void {
		// It says who may do what. Only the administration loads it otherwise.
		require_once COPYDESK_DIR . '/admin/class-copydesk-items-page.php';
		self::register_list();
		self::register_run();
		self::register_action(
			'publish_now',
			'publish-item',
			__( 'Publish a Copydesk post now', 'copydesk' ),
			__( 'Makes a waiting, scheduled, draft or stopped post visible immediately, whatever its schedule says.', 'copydesk' ),
			self::annotations( false, false, true )
		);
		self::register_action(
			'retry',
			'retry-item',
			__( 'Retry a Copydesk post', 'copydesk' ),
			__( 'Immediately tries a post again that is waiting, was stopped after errors, rejected or moved to the trash.', 'copydesk' ),
			self::annotations( false, false, false )
		);
		self::register_action(
			'reject',
			'reject-item',
			__( 'Reject a Copydesk post', 'copydesk' ),
			__( 'Does not publish the post, moves its draft to the trash, and tells the feed, unless the feed was already told that the post was used. Retrying the post brings it back. A live post cannot be rejected.', 'copydesk' ),
			self::annotations( false, true, true ),
			array(
				'reason' => array(
					'type'        => 'string',
					'maxLength'   => Copydesk_Runner::MAX_REASON,
					'description' => __( 'Why, for the list of posts on this site. The feed is not told.', 'copydesk' ),
				),
			)
		);
	}

	private static function register_list(): void {
		wp_register_ability(
			self::NAMESPACE . '/list-items',
			array(
				'label'               => __( 'List Copydesk posts', 'copydesk' ),
				'description'         => __( 'Lists the posts that the feed sent to this site, the last changed first, with the state, the link and the reason of each.', 'copydesk' ),
				'category'            => self::NAMESPACE,
				'input_schema'        => self::schema(
					array(
						'state'    => array(
							'type'        => 'string',
							'enum'        => Copydesk_Items::STATES,
							'description' => __( 'Only posts in this state.', 'copydesk' ),
						),
						'page'     => array(
							'type'        => 'integer',
							'minimum'     => 1,
							'maximum'     => 1000000,
							'default'     => 1,
							'description' => __( 'The page of the list.', 'copydesk' ),
						),
						'per_page' => array(
							'type'        => 'integer',
							'minimum'     => 1,
							'maximum'     => self::MOST,
							'default'     => 20,
							'description' => __( 'Posts on each page.', 'copydesk' ),
						),
					)
				) + array( 'default' => array() ),
				'output_schema'       => self::schema(
					array(
						'items' => array(
							'type'  => 'array',
							'items' => self::item_schema(),
						),
						'total' => array(
							'type'        => 'integer',
							'description' => __( 'How many posts all pages have.', 'copydesk' ),
						),
					)
				),
				'permission_callback' => array( __CLASS__, 'may_see' ),
				'execute_callback'    => array( __CLASS__, 'list_items' ),
				'meta'                => self::annotations( true, false, true ),
			)
		);
	}

	private static function register_run(): void {
		$number = array( 'type' => 'integer' );
		wp_register_ability(
			self::NAMESPACE . '/run',
			array(
				'label'               => __( 'Run Copydesk now', 'copydesk' ),
				'description'         => __( 'Fetches the waiting posts of the feed and publishes them as the settings say. It works for about 20 seconds; the next run continues.', 'copydesk' ),
				'category'            => self::NAMESPACE,
				'output_schema'       => self::schema(
					array(
						'pulled'    => $number + array( 'description' => __( 'Posts received from the feed.', 'copydesk' ) ),
						'published' => $number + array( 'description' => __( 'Posts put on the site: live, scheduled, as draft or for review.', 'copydesk' ) ),
						'waiting'   => $number + array( 'description' => __( 'Posts not finished yet.', 'copydesk' ) ),
						'failed'    => $number + array( 'description' => __( 'Posts that failed in this run.', 'copydesk' ) ),
						'problems'  => array(
							'type'        => 'array',
							'items'       => array( 'type' => 'string' ),
							'description' => __( 'What went wrong, in sentences.', 'copydesk' ),
						),
					)
				),
				'permission_callback' => array( __CLASS__, 'may_see' ),
				'execute_callback'    => array( __CLASS__, 'run' ),
				'meta'                => self::annotations( false, false, false ),
			)
		);
	}

	/**
	 * Register an action of the items page.
	 *
	 * @param string $action What Copydesk_Runner::act() calls it.
	 * @param array  $more   Properties of the input besides the id, as JSON schemas.
	 */
	private static function register_action( string $action, string $name, string $label, string $description, array $meta, array $more = array() ): void {
		$id = array(
			'type'        => 'string',
			'pattern'     => Copydesk_Items::ID_PATTERN,
			'description' => __( 'The id of the post in the list of Copydesk posts.', 'copydesk' ),
		);
		wp_register_ability(
			self::NAMESPACE . '/' . $name,
			array(
				'label'               => $label,
				'description'         => $description,
				'category'            => self::NAMESPACE,
				'input_schema'        => self::schema( array( 'id' => $id ) + $more ) + array( 'required' => array( 'id' ) ),
				'output_schema'       => self::item_schema(),
				'permission_callback' => static function () use ( $action ): bool {
					return Copydesk_Items_Page::may( $action );
				},
				'execute_callback'    => static function ( array $input ) use ( $action ) {
					return self::act( $action, (string) $input['id'], (string) ( $input['reason'] ?? '' ) );
				},
				'meta'                => $meta,
			)
		);
	}

	public static function may_see(): bool {
		return current_user_can( Copydesk_Admin::MAY_ACT );
	}

	/** @param array $input As the schema of list-items says. */
	public static function list_items( array $input ): array {
		$page = Copydesk_Items::page(
			array(
				'state'    => $input['state'] ?? '',
				'paged'    => $input['page'] ?? 1,
				'per_page' => $input['per_page'] ?? 20,
			)
		);
		return array(
			'items' => array_map( array( __CLASS__, 'item' ), $page['rows'] ),
			'total' => $page['total'],
		);
	}

	public static function run(): array {
		$done = Copydesk_Runner::run( 'web' );
		return array_intersect_key( $done, array_flip( array( 'pulled', 'published', 'waiting', 'failed', 'problems' ) ) );
	}

	/** Do what the items page does, and give the item as it is then. @return array|WP_Error */
	private static function act( string $action, string $id, string $reason ) {
		if ( ! Copydesk_Items::find( $id ) ) {
			return new WP_Error( 'copydesk_unknown_item', __( 'This post is not in the list.', 'copydesk' ), array( 'status' => 404 ) );
		}
		$done = Copydesk_Runner::act( $id, $action, $reason );
		if ( is_wp_error( $done ) ) {
			return new WP_Error( 'copydesk_refused', Copydesk_Feed::without_address( $done->get_error_message() ), array( 'status' => 409 ) );
		}
		return self::item( (array) Copydesk_Items::find( $id ) );
	}

	private static function item( array $row ): array {
		return array(
			'id'     => $row['item_id'],
			'state'  => $row['state'],
			'title'  => $row['title'],
			'link'   => Copydesk_Items_Page::link( $row ),
			'reason' => $row['reason'],
		);
	}

	private static function item_schema(): array {
		$text = array( 'type' => 'string' );
		return self::schema(
			array(
				'id'     => $text,
				'state'  => $text + array(
					'enum'        => Copydesk_Items::STATES,
					'description' => __( 'Readers see only live posts. Received posts are not finished yet, parked ones stopped after errors, withdrawn ones are in the trash or deleted.', 'copydesk' ),
				),
				'title'  => $text,
				'link'   => $text + array( 'description' => __( 'The address of the post, or of its preview; empty if there is none.', 'copydesk' ) ),
				'reason' => $text + array( 'description' => __( 'What went wrong or was decided; may be empty.', 'copydesk' ) ),
			)
		);
	}

	private static function schema( array $properties ): array {
		return array(
			'type'                 => 'object',
			'properties'           => $properties,
			'additionalProperties' => false,
		);
	}

	private static function annotations( bool $is_read_only, bool $is_destructive, bool $is_idempotent ): array {
		return array(
			'show_in_rest' => true,
			'annotations'  => array(
				'readonly'    => $is_read_only,
				'destructive' => $is_destructive,
				'idempotent'  => $is_idempotent,
			),
		);
	}
}
