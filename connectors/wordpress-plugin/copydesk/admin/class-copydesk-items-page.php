<?php
/**
 * The page that lists the posts of the feed, with what people can do about each.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

final class Copydesk_Items_Page {
	const NONCE     = 'bulk-copydesk-items';
	const NONCE_RUN = 'copydesk_run';
	const PER_PAGE  = 'copydesk_items_per_page';

	/** What a user must be allowed besides Copydesk_Admin::MAY_ACT: an action publishes or deletes. */
	const RIGHTS = array(
		'publish_now' => 'publish_posts',
		'retry'       => 'publish_posts',
		'reject'      => 'delete_others_posts',
		'never'       => 'delete_others_posts',
	);

	/** How many posts one request acts on: each may call the feed. */
	const MAX_BULK = 50;

	/** What the forms of the page send, besides nonces. */
	const FIELDS = array( 'copydesk_run', 'copydesk_one', 'action', 'action2', 'items', 'state', 's', 'paged' );

	/** What can be done in which state. Copydesk_Runner::act() decides; this is what is offered. */
	const ACTIONS = array(
		'received'  => array( 'publish_now', 'reject', 'never' ),
		'scheduled' => array( 'publish_now', 'never' ),
		'draft'     => array( 'publish_now', 'never' ),
		'pending'   => array( 'publish_now', 'never' ),
		'parked'    => array( 'retry', 'publish_now', 'reject', 'never' ),
		'withdrawn' => array( 'retry' ),
		'live'      => array(),
		'rejected'  => array( 'retry' ),
		'never'     => array(),
	);

	/** @var Copydesk_Items_Table|null Made before WordPress asks the screen for its columns. */
	private static $table = null;

	public static function boot(): void {
		add_filter( 'set_screen_option_' . self::PER_PAGE, array( __CLASS__, 'per_page_option' ), 10, 3 );
	}

	/** The states as people read them. @return array<string, string> */
	public static function states(): array {
		return array(
			'received'  => __( 'Received', 'copydesk' ),
			'scheduled' => __( 'Scheduled', 'copydesk' ),
			'draft'     => __( 'Draft', 'copydesk' ),
			'pending'   => __( 'Waiting for review', 'copydesk' ),
			'live'      => __( 'Live', 'copydesk' ),
			'parked'    => __( 'Stopped after errors', 'copydesk' ),
			'withdrawn' => __( 'Withdrawn', 'copydesk' ),
			'rejected'  => __( 'Rejected', 'copydesk' ),
			'never'     => __( 'Never published', 'copydesk' ),
		);
	}

	/** @return array<string, string> */
	public static function actions(): array {
		return array(
			'publish_now' => __( 'Publish now', 'copydesk' ),
			'retry'       => __( 'Retry', 'copydesk' ),
			'reject'      => __( 'Reject', 'copydesk' ),
			'never'       => __( 'Never publish', 'copydesk' ),
		);
	}

	/** Whether the current user may do that. */
	public static function may( string $action ): bool {
		return current_user_can( Copydesk_Admin::MAY_ACT ) && current_user_can( self::RIGHTS[ $action ] );
	}

	/** The address of an item's post, or of its preview for those who may edit it; "" for none. */
	public static function link( array $row ): string {
		$post = $row['post_id'] ? get_post( (int) $row['post_id'] ) : null;
		if ( ! $post || in_array( $post->post_status, array( 'trash', 'auto-draft' ), true ) ) {
			return '';
		}
		if ( is_post_publicly_viewable( $post ) ) {
			return (string) get_permalink( $post );
		}
		return current_user_can( 'edit_post', $post->ID ) ? (string) get_preview_post_link( $post ) : '';
	}

	/** @param mixed $keep */
	public static function per_page_option( $keep, string $option, $value ): int {
		return max( 1, min( 200, (int) $value ) );
	}

	/** Before anything is printed: do what was asked, then show the page anew. */
	public static function load(): void {
		if ( 'POST' === ( $_SERVER['REQUEST_METHOD'] ?? '' ) ) {
			self::answer_post();
		}
		if ( isset( $_REQUEST['s'] ) && ! is_string( $_REQUEST['s'] ) ) {
			unset( $_REQUEST['s'] ); // WordPress's own search box expects a text.
		}
		require_once __DIR__ . '/class-copydesk-items-table.php';
		self::$table = new Copydesk_Items_Table( self::filter() );
		$screen      = get_current_screen();
		$screen->add_option(
			'per_page',
			array(
				'label'   => __( 'Posts per page', 'copydesk' ),
				'default' => 20,
				'option'  => self::PER_PAGE,
			)
		);
		$screen->set_screen_reader_content(
			array(
				'heading_views'      => __( 'Filter posts by state', 'copydesk' ),
				'heading_pagination' => __( 'Pages of posts', 'copydesk' ),
				'heading_list'       => __( 'Posts of the feed', 'copydesk' ),
			)
		);
		$screen->add_help_tab(
			array(
				'id'      => 'copydesk-states',
				'title'   => __( 'States', 'copydesk' ),
				'content' => self::help_states(),
			)
		);
		$screen->add_help_tab(
			array(
				'id'      => 'copydesk-actions',
				'title'   => __( 'Actions', 'copydesk' ),
				'content' => self::help_actions(),
			)
		);
	}

	private static function answer_post(): void {
		if ( ! current_user_can( Copydesk_Admin::MAY_ACT ) ) {
			wp_die( esc_html__( 'You are not allowed to manage Copydesk posts.', 'copydesk' ), '', array( 'response' => 403 ) );
		}
		// phpcs:ignore WordPress.Security.NonceVerification -- below, by what was asked.
		$fields = wp_unslash( array_intersect_key( $_POST, array_flip( self::FIELDS ) ) );
		if ( isset( $fields['copydesk_run'] ) ) {
			check_admin_referer( self::NONCE_RUN );
			self::run();
		} else {
			check_admin_referer( self::NONCE );
			list( $action, $ids ) = self::asked( $fields );
			if ( '' !== $action ) {
				self::act( $action, $ids );
			}
		}
		wp_safe_redirect( self::here( $fields ) );
		exit;
	}

	/** The action and the ids of items that a form asks for; "" for none. */
	private static function asked( array $fields ): array {
		$one = isset( $fields['copydesk_one'] ) && is_string( $fields['copydesk_one'] ) ? explode( '|', $fields['copydesk_one'], 2 ) : array();
		if ( 2 === count( $one ) ) {
			$action = $one[0];
			$ids    = array( $one[1] );
		} else {
			$action = '';
			foreach ( array( 'action', 'action2' ) as $name ) {
				if ( '' === $action && isset( $fields[ $name ] ) && is_string( $fields[ $name ] ) && '-1' !== $fields[ $name ] ) {
					$action = $fields[ $name ];
				}
			}
			$ids = isset( $fields['items'] ) && is_array( $fields['items'] ) ? array_filter( $fields['items'], 'is_string' ) : array();
		}
		if ( ! array_key_exists( $action, self::actions() ) ) {
			return array( '', array() );
		}
		return array( $action, array_values( array_unique( $ids ) ) );
	}

	/** @param string[] $ids */
	private static function act( string $action, array $ids ): void {
		if ( ! self::may( $action ) ) {
			wp_die( esc_html__( 'You are not allowed to do that with posts on this site.', 'copydesk' ), '', array( 'response' => 403 ) );
		}
		if ( ! $ids ) {
			Copydesk_Admin::say( 'warning', __( 'No post is selected. Select posts first, then choose an action.', 'copydesk' ) );
			return;
		}
		if ( count( $ids ) > self::MAX_BULK ) {
			/* translators: %d: a number of posts. */
			Copydesk_Admin::say( 'warning', sprintf( __( 'Nothing was changed: at most %d posts can be changed at a time.', 'copydesk' ), self::MAX_BULK ) );
			return;
		}
		$done = 0;
		foreach ( $ids as $id ) {
			$row   = strlen( $id ) <= 100 ? Copydesk_Items::find( $id ) : null;
			$title = $row ? wp_html_excerpt( (string) $row['title'], 80, '…' ) : '';
			if ( ! $row ) {
				Copydesk_Admin::say( 'error', __( 'A selected post is no longer in the list. Reload the page.', 'copydesk' ) );
				continue;
			}
			$said = Copydesk_Runner::act( $id, $action );
			if ( is_wp_error( $said ) ) {
				/* translators: 1: the title of a post, 2: a sentence. */
				Copydesk_Admin::say( 'error', sprintf( __( '“%1$s”: %2$s', 'copydesk' ), $title, $said->get_error_message() ) );
			} else {
				++$done;
			}
		}
		if ( $done ) {
			Copydesk_Admin::say( 'success', self::sentence_done( $action, $done ) );
		}
	}

	private static function sentence_done( string $action, int $number ): string {
		switch ( $action ) {
			case 'publish_now':
				/* translators: %d: a number of posts. */
				return sprintf( _n( '%d post is published.', '%d posts are published.', $number, 'copydesk' ), $number );
			case 'retry':
				/* translators: %d: a number of posts. */
				return sprintf( _n( '%d post was tried again and is on the site.', '%d posts were tried again and are on the site.', $number, 'copydesk' ), $number );
			case 'reject':
				/* translators: %d: a number of posts. */
				return sprintf( _n( '%d post is rejected.', '%d posts are rejected.', $number, 'copydesk' ), $number );
		}
		/* translators: %d: a number of posts. */
		return sprintf( _n( '%d post will never be published.', '%d posts will never be published.', $number, 'copydesk' ), $number );
	}

	private static function run(): void {
		if ( ! Copydesk_Settings::has_feed() ) {
			Copydesk_Admin::say( 'error', __( 'There is no feed URL yet. Ask an administrator to enter it.', 'copydesk' ) );
			return;
		}
		$run      = Copydesk_Runner::run( 'web' );
		$problems = isset( $run['problems'] ) && is_array( $run['problems'] ) ? $run['problems'] : array();
		Copydesk_Admin::say( $problems || ! empty( $run['failed'] ) ? 'warning' : 'success', self::sentence_of_run( $run ) );
		foreach ( array_slice( $problems, 0, 5 ) as $problem ) {
			Copydesk_Admin::say( 'error', (string) $problem );
		}
	}

	/** What a run did, as a sentence. */
	public static function sentence_of_run( array $run ): string {
		$count = static function ( string $key ) use ( $run ): int {
			return isset( $run[ $key ] ) ? (int) $run[ $key ] : 0;
		};
		$parts = array(
			/* translators: %d: a number of posts. */
			sprintf( _n( '%d post received', '%d posts received', $count( 'pulled' ), 'copydesk' ), $count( 'pulled' ) ),
			/* translators: %d: a number of posts. */
			sprintf( _n( '%d put on the site', '%d put on the site', $count( 'published' ), 'copydesk' ), $count( 'published' ) ),
		);
		if ( $count( 'waiting' ) ) {
			/* translators: %d: a number of posts. */
			$parts[] = sprintf( _n( '%d not finished yet', '%d not finished yet', $count( 'waiting' ), 'copydesk' ), $count( 'waiting' ) );
		}
		if ( $count( 'failed' ) ) {
			/* translators: %d: a number of posts. */
			$parts[] = sprintf( _n( '%d failed and will be tried again later', '%d failed and will be tried again later', $count( 'failed' ), 'copydesk' ), $count( 'failed' ) );
		}
		/* translators: used between items of a list: "2 posts received, 2 put on the site". */
		return implode( __( ', ', 'copydesk' ), $parts ) . '.';
	}

	/** The address of the list as it was seen when the form was sent. */
	private static function here( array $fields ): string {
		$query = array();
		foreach ( array( 'state', 's', 'paged' ) as $name ) {
			if ( isset( $fields[ $name ] ) && is_string( $fields[ $name ] ) && '' !== $fields[ $name ] && strlen( $fields[ $name ] ) <= 200 ) {
				$query[ $name ] = rawurlencode( $fields[ $name ] );
			}
		}
		return Copydesk_Admin::url( Copydesk_Admin::ITEMS, $query );
	}

	/** What the address asks to see. @return array{state: string, search: string} */
	public static function filter(): array {
		// phpcs:disable WordPress.Security.NonceVerification -- it only chooses what is shown.
		$state  = isset( $_GET['state'] ) && is_string( $_GET['state'] ) ? sanitize_key( $_GET['state'] ) : '';
		$search = isset( $_GET['s'] ) && is_string( $_GET['s'] ) ? mb_substr( sanitize_text_field( wp_unslash( $_GET['s'] ) ), 0, 200 ) : '';
		// phpcs:enable
		return array(
			'state'  => array_key_exists( $state, self::states() ) ? $state : '',
			'search' => $search,
		);
	}

	public static function show(): void {
		if ( ! current_user_can( Copydesk_Admin::MAY_ACT ) ) {
			wp_die( esc_html__( 'You are not allowed to see Copydesk posts.', 'copydesk' ), '', array( 'response' => 403 ) );
		}
		$filter = self::filter();
		$table  = self::$table;
		$table->prepare_items();
		echo '<div class="wrap copydesk">';
		echo '<h1 class="wp-heading-inline">', esc_html__( 'Copydesk posts', 'copydesk' ), '</h1>';
		self::show_run_button();
		if ( '' !== $filter['search'] ) {
			/* translators: %s: what was searched for. */
			echo '<span class="subtitle">', esc_html( sprintf( __( 'Search results for: %s', 'copydesk' ), $filter['search'] ) ), '</span>';
		}
		echo '<hr class="wp-header-end">';
		Copydesk_Admin::print_said();
		self::show_last_run();
		$table->views();
		echo '<form method="get" class="copydesk-search">';
		echo '<input type="hidden" name="page" value="', esc_attr( Copydesk_Admin::ITEMS ), '">';
		if ( '' !== $filter['state'] ) {
			echo '<input type="hidden" name="state" value="', esc_attr( $filter['state'] ), '">';
		}
		$table->search_box( __( 'Search posts', 'copydesk' ), 'copydesk' );
		echo '</form>';
		echo '<form method="post" class="copydesk-list" action="', esc_url( Copydesk_Admin::url( Copydesk_Admin::ITEMS ) ), '">';
		foreach ( array( 'state' => $filter['state'], 's' => $filter['search'] ) as $name => $value ) {
			if ( '' !== $value ) {
				printf( '<input type="hidden" name="%s" value="%s">', esc_attr( $name ), esc_attr( $value ) );
			}
		}
		$table->display();
		echo '</form></div>';
	}

	private static function show_run_button(): void {
		echo '<form method="post" class="copydesk-run" action="', esc_url( Copydesk_Admin::url( Copydesk_Admin::ITEMS ) ), '">';
		wp_nonce_field( self::NONCE_RUN, '_wpnonce', false );
		echo '<button class="page-title-action" name="copydesk_run" value="1">', esc_html__( 'Run now', 'copydesk' ), '</button></form>';
	}

	private static function show_last_run(): void {
		$time = Copydesk_Admin::last_run_time();
		echo '<p class="copydesk-last-run">';
		if ( ! Copydesk_Settings::has_feed() ) {
			esc_html_e( 'Copydesk does not know your feed yet.', 'copydesk' );
			if ( current_user_can( Copydesk_Admin::MAY_SET ) ) {
				printf( ' <a href="%s">%s</a>', esc_url( Copydesk_Admin::url( Copydesk_Admin::SETTINGS ) ), esc_html__( 'Enter the feed URL', 'copydesk' ) );
			}
		} elseif ( ! $time ) {
			esc_html_e( 'Copydesk has not run yet. “Run now” fetches the waiting posts.', 'copydesk' );
		} else {
			$run = get_option( 'copydesk_last_run' );
			/* translators: 1: a span of time such as "5 minutes", 2: what the run did. */
			echo esc_html( sprintf( __( 'Last run %1$s ago: %2$s', 'copydesk' ), Copydesk_Admin::span( $time ), self::sentence_of_run( is_array( $run ) ? $run : array() ) ) );
			$problem = is_array( $run ) && ! empty( $run['problems'] ) && is_array( $run['problems'] ) ? (string) reset( $run['problems'] ) : '';
			if ( '' !== $problem ) {
				echo ' <strong>', esc_html( $problem ), '</strong>';
			}
		}
		echo '</p>';
	}

	private static function help_states(): string {
		$texts = array(
			'received'  => __( 'the text is on this site; the next run creates the post.', 'copydesk' ),
			'scheduled' => __( 'WordPress publishes the post at that time.', 'copydesk' ),
			'draft'     => __( 'the post is a draft until you publish it.', 'copydesk' ),
			'pending'   => __( 'the post is waiting for an editor.', 'copydesk' ),
			'live'      => __( 'readers can see the post.', 'copydesk' ),
			'parked'    => __( 'the post failed for three days. The reason is in the list. Fix it, then choose Retry.', 'copydesk' ),
			'withdrawn' => __( 'someone moved the post to the trash or deleted it. Copydesk does not bring it back on its own.', 'copydesk' ),
			'rejected'  => __( 'someone rejected the post, and the feed was told.', 'copydesk' ),
			'never'     => __( 'someone decided that the post is never published here.', 'copydesk' ),
		);
		return self::definitions( self::states(), $texts );
	}

	private static function help_actions(): string {
		$texts = array(
			'publish_now' => __( 'makes the post visible immediately, whatever its schedule says.', 'copydesk' ),
			'retry'       => __( 'immediately tries a stopped, withdrawn or rejected post again.', 'copydesk' ),
			'reject'      => __( 'does not publish the post, and tells the feed. Retry brings it back.', 'copydesk' ),
			'never'       => __( 'keeps the post from ever being published here. If it is a draft or scheduled, it goes to the trash.', 'copydesk' ),
		);
		return self::definitions( self::actions(), $texts );
	}

	private static function definitions( array $names, array $texts ): string {
		$html = '<ul>';
		foreach ( $texts as $key => $text ) {
			$html .= '<li><strong>' . esc_html( $names[ $key ] ) . ':</strong> ' . esc_html( $text ) . '</li>';
		}
		return $html . '</ul>';
	}
}
