<?php
/**
 * One run: finish what was begun, then pull, publish and confirm new items, each exactly once.
 *
 * The way of an item, every step of which can be repeated after PHP ended at any statement:
 *
 * 1. Its text is written into the table; the item's id is unique there.
 * 2. An empty auto-draft is made, as WordPress's editor begins with, and the row takes its number if
 *    it has none yet. An auto-draft that no row took is cleared away by WordPress itself.
 * 3. The auto-draft gets its terms and fields, and then text and status in one statement.
 * 4. The row says what readers see.
 * 5. The feed is told.
 *
 * WordPress counts the posts of each category and tag. A run counts once at its end, because a count
 * reads all posts of the term; the run after one that died counts for both.
 *
 * A try is counted and the next one put off before it is made: so an item that ends PHP waits like
 * any other that fails, and two processes never work on one item at the same time.
 *
 * The feed gives an item up after three deliveries. So nothing is pulled that the table could not
 * take, and the first item of a run is pulled alone; if it is delivered for the first time, the
 * others are pulled together. If not, an answer was lost, and the run stays at one at a time. While
 * an item fails, new ones are pulled beside it at most once an hour, and never after its third
 * delivery.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

final class Copydesk_Runner {
	/** Seconds of work in a web request; the rest is left to the next run. */
	const WEB_SECONDS = 20;

	/** Seconds until the second try; each further wait is twice as long, up to LONGEST_WAIT. */
	const FIRST_WAIT   = 300;
	const LONGEST_WAIT = 21600;

	/** After so many tries, which take three days, an item is parked. */
	const TRIES = 19;

	/** Seconds until items are pulled again beside one that fails. */
	const BESIDE = 3600;

	/** So many times a feed delivers an item before it gives it up. */
	const MOST_SENDS = 3;

	/** A slot that passed so many seconds ago is missed: the post gets another one. */
	const MISSED = 3600;

	/** Seconds after which a run on a database without locks counts as dead. */
	const DEAD = 120;

	/** Characters of a reason that are kept. */
	const MAX_REASON = 500;

	const LAST_RUN = 'copydesk_last_run';
	const LOCK     = 'copydesk_lock';

	/** @var array What the run did so far. */
	private static $summary = array();

	/** @var callable|null Whether to stop, asked between items. */
	private static $stop = null;

	/** @var bool Whether the feed can be told and asked in this run. */
	private static $feed_is_up = true;

	/** @var string What the row of the lock holds, "" where the database itself locks. */
	private static $lock = '';

	/** @var int The post that this process is changing; see follow(). */
	private static $own = 0;

	public static function boot(): void {
		add_action( 'transition_post_status', array( __CLASS__, 'follow' ), 10, 3 );
		add_action( 'before_delete_post', array( __CLASS__, 'forget' ), 10, 2 );
	}

	/**
	 * Do all that is due now, unless another run is at work.
	 *
	 * @param string        $origin 'cron', 'web', 'cli': who asks. Only 'cli' has no limit of time.
	 * @param callable|null $stop   Returns true to end the run after the present item.
	 * @return array pulled, published, waiting, failed (numbers of items), problems (sentences), at, origin.
	 */
	public static function run( string $origin, ?callable $stop = null ): array {
		self::begin( $origin, $stop );
		if ( ! Copydesk_Settings::has_feed() ) {
			self::problem( __( 'No feed URL is set. Paste it on the settings page.', 'copydesk' ) );
			return self::$summary;
		}
		if ( ! self::lock( 0 ) ) {
			self::problem( __( 'Another run is in progress.', 'copydesk' ) );
			return self::$summary;
		}
		$was_deferred = wp_defer_term_counting();
		try {
			self::count_terms_of_dead_run();
			if ( self::can_write() ) {
				wp_defer_term_counting( true );
				self::finish_due();
				self::tell_due();
				self::update_states();
				self::pull();
				wp_defer_term_counting( $was_deferred );
			}
			self::$summary['waiting'] = Copydesk_Items::count_open();
			if ( self::$summary['waiting'] && self::is_over() ) {
				Copydesk_Cron::continue_soon();
			}
			update_option( self::LAST_RUN, self::$summary, false );
		} finally {
			wp_defer_term_counting( $was_deferred );
			self::unlock();
		}
		return self::$summary;
	}

	/**
	 * Do what a person asks for one item.
	 *
	 * @param string $action publish_now, retry, reject or never.
	 * @param string $reason Why it is rejected, for the list; "" for no more than that it is.
	 * @return true|WP_Error
	 */
	public static function act( string $item_id, string $action, string $reason = '' ) {
		self::begin( 'web', null );
		if ( ! self::lock( 5 ) ) {
			return self::refusal( __( 'A run is in progress. Try again in a minute.', 'copydesk' ) );
		}
		try {
			$row = Copydesk_Items::find( $item_id );
			if ( ! $row ) {
				return self::refusal( __( 'This post is not in the list.', 'copydesk' ) );
			}
			switch ( $action ) {
				case 'publish_now':
					return self::publish_now( $row );
				case 'retry':
					return self::retry( $row );
				case 'reject':
					$reason = self::shortened( Copydesk_Feed::without_address( sanitize_text_field( $reason ) ), self::MAX_REASON );
					return self::drop( $row, 'rejected', '' === $reason ? __( 'Rejected manually.', 'copydesk' ) : $reason );
				case 'never':
					return self::drop( $row, 'never', __( 'Never publish: chosen manually.', 'copydesk' ) );
			}
			return self::refusal( __( 'This action is unknown.', 'copydesk' ) );
		} finally {
			self::unlock();
		}
	}

	/** A post of ours has another status: what readers see is what the row says. */
	public static function follow( $new, $old, $post ): void {
		if ( $new === $old || ! $post instanceof WP_Post || $post->ID === self::$own ) {
			return;
		}
		$row = 'post' === $post->post_type && 'auto-draft' !== $new ? Copydesk_Items::find_by_post( $post->ID ) : null;
		if ( ! $row ) {
			return;
		}
		$states = array_merge( Copydesk_Items::POSTED, array( 'withdrawn' ) );
		if ( 'trash' === $new ) {
			$states[] = Copydesk_Items::OPEN;
		}
		Copydesk_Items::move( $row['item_id'], $states, self::state_of( $post ), self::fields_of( $post ) + self::seen( $row, 'publish' === $old ) );
	}

	/** What a row remembers of a post that readers saw: it counts as used, whatever became of it. */
	private static function seen( array $row, bool $was_live ): array {
		return $was_live && '' === $row['told'] ? array( 'told' => 'seen' ) : array();
	}

	/** A post of ours is deleted for good. */
	public static function forget( $post_id, $post = null ): void {
		$post = $post instanceof WP_Post ? $post : get_post( $post_id );
		if ( ! $post || 'post' !== $post->post_type ) {
			return;
		}
		$row = Copydesk_Items::find_by_post( $post->ID );
		if ( ! $row ) {
			return;
		}
		if ( 'auto-draft' === $post->post_status ) {
			// Nobody has seen it: WordPress clears away what is a week old.
			Copydesk_Items::move( $row['item_id'], array( Copydesk_Items::OPEN ), Copydesk_Items::OPEN, array( 'post_id' => 0 ), array( 'post_id' => $post->ID ) );
			return;
		}
		$states = array_merge( Copydesk_Items::POSTED, array( Copydesk_Items::OPEN ) );
		$fields = array( 'reason' => self::withdrawn_reason() ) + self::seen( $row, 'publish' === $post->post_status );
		Copydesk_Items::move( $row['item_id'], $states, 'withdrawn', $fields, array( 'post_id' => $post->ID ) );
	}

	private static function begin( string $origin, ?callable $stop ): void {
		self::$summary    = array(
			'pulled'    => 0,
			'published' => 0,
			'waiting'   => 0,
			'failed'    => 0,
			'problems'  => array(),
			'at'        => time(),
			'origin'    => $origin,
		);
		$end              = 'cli' === $origin ? INF : microtime( true ) + self::WEB_SECONDS;
		self::$stop       = static function () use ( $stop, $end ): bool {
			return microtime( true ) >= $end || ( $stop && $stop() );
		};
		self::$feed_is_up = true;
		if ( 'cli' !== $origin ) {
			ignore_user_abort( true );
		}
	}

	private static function is_over(): bool {
		return (bool) call_user_func( self::$stop );
	}

	/** Whether the run ends here: time is over, or the lock is lost to another run. */
	private static function must_end(): bool {
		return self::is_over() || ! self::renew_lock();
	}

	/** Whether the database takes changes; what is pulled without would be lost. */
	private static function can_write(): bool {
		if ( ! Copydesk_Items::is_installed() ) {
			Copydesk_Items::install();
		}
		if ( Copydesk_Items::is_installed() && self::note_begun() ) {
			return true;
		}
		self::nothing_fetched();
		return false;
	}

	private static function nothing_fetched(): void {
		self::problem( __( 'The site’s database accepts no changes at the moment, so nothing was fetched. Nothing is lost.', 'copydesk' ) );
	}

	/** Store that a run is at work; false where the database takes no changes. */
	private static function note_begun(): bool {
		// A value that differs each time: WordPress answers false where nothing was stored.
		return update_option( self::LAST_RUN, array( 'begun' => microtime( true ) ) + self::$summary, false );
	}

	/** Count the posts of the terms for which a run that died had no time left. */
	private static function count_terms_of_dead_run(): void {
		$last = get_option( self::LAST_RUN );
		if ( ! isset( $last['begun'], $last['at'] ) ) {
			return;
		}
		foreach ( Copydesk_Items::terms_since( (int) $last['at'] ) as $taxonomy => $terms ) {
			wp_update_term_count( $terms, $taxonomy );
		}
	}

	private static function finish_due(): void {
		foreach ( Copydesk_Items::due( 500 ) as $id ) {
			if ( self::must_end() ) {
				return;
			}
			self::carry( $id );
			self::tell( $id );
		}
	}

	private static function tell_due(): void {
		foreach ( Copydesk_Items::untold( Copydesk_Feed::fingerprint(), 500 ) as $id ) {
			if ( ! self::$feed_is_up || self::must_end() ) {
				return;
			}
			self::tell( $id );
		}
	}

	/** Publish what WordPress did not publish at its time, and let each row say what readers see. */
	private static function update_states(): void {
		foreach ( Copydesk_Items::outdated() as $id ) {
			if ( self::must_end() ) {
				return;
			}
			$row  = Copydesk_Items::find( $id );
			$post = $row ? self::fresh_post( $row['post_id'] ) : null;
			if ( $post && 'future' === $post->post_status ) {
				check_and_publish_future_post( $post->ID );
				$post = self::fresh_post( $post->ID );
			}
			if ( $row ) {
				$fields = $post ? self::fields_of( $post ) : array( 'reason' => self::withdrawn_reason() );
				Copydesk_Items::move( $id, array( $row['state'] ), $post ? self::state_of( $post ) : 'withdrawn', $fields + self::seen( $row, 'live' === $row['state'] ) );
			}
		}
	}

	private static function pull(): void {
		$until = Copydesk_Feed::waits_until();
		if ( $until ) {
			/* translators: %s: a time of day. */
			self::problem( sprintf( __( 'The feed asked Copydesk to wait until %s.', 'copydesk' ), wp_date( 'H:i', $until ) ) );
			return;
		}
		$beside = Copydesk_Items::count_open() > 0;
		if ( $beside && get_transient( 'copydesk_beside' ) ) {
			return;
		}
		// Only this answer says from which rule an item is.
		$several = $beside || self::routes_by_rule();
		$seen    = array();
		while ( self::$feed_is_up && ! self::must_end() ) {
			$last = Copydesk_Items::delivered( Copydesk_Feed::fingerprint(), self::MOST_SENDS );
			if ( '' !== $last ) {
				/* translators: %s: the title of a post. */
				self::problem( sprintf( __( 'No new posts are fetched until “%s” is published, stopped or rejected. Otherwise, the feed would give it up.', 'copydesk' ), $last ) );
				return;
			}
			if ( ! Copydesk_Items::has_room() ) {
				self::nothing_fetched();
				return;
			}
			$items = $several ? Copydesk_Feed::items() : Copydesk_Feed::latest();
			if ( is_wp_error( $items ) ) {
				self::feed_problem( $items );
				return;
			}
			if ( $beside ) {
				set_transient( 'copydesk_beside', 1, self::BESIDE );
			}
			usort( $items, array( __CLASS__, 'by_time' ) );
			// All texts are stored before anything is done with one.
			$ids = array_values( array_filter( array_map( array( __CLASS__, 'receive' ), $items ) ) );
			foreach ( $ids as $id ) {
				if ( self::must_end() ) {
					return;
				}
				self::carry( $id );
				self::tell( $id );
			}
			$is_done = $several ? count( $items ) < Copydesk_Feed::MAX_ITEMS : ! $items;
			if ( $is_done || ( $several && ! array_diff( $ids, $seen ) ) ) {
				return;
			}
			$first   = (int) ( $items[0]['deliveryCount'] ?? 1 );
			$row     = $ids ? Copydesk_Items::find( $ids[0] ) : null;
			$is_held = ! $row || in_array( $row['told'], Copydesk_Items::UNTOLD, true );
			// What is held would be delivered again and again in front of the others.
			if ( ! $several && ( $first <= 1 || $is_held || in_array( $ids[0], $seen, true ) ) ) {
				$several = true;
			}
			$seen = array_merge( $seen, $ids );
		}
	}

	/** Store an item that was pulled; gives its id, "" for one that cannot be. */
	private static function receive( array $item ): string {
		$id = $item['id'] ?? '';
		if ( ! is_string( $id ) || ! preg_match( Copydesk_Items::ID, $id ) ) {
			self::problem( __( 'The feed sent a post with a missing or invalid id. Copydesk did not accept it.', 'copydesk' ) );
			return '';
		}
		$problem = Copydesk_Post::problem( $item );
		$title   = is_string( $item['post']['title'] ?? null ) ? wp_strip_all_tags( $item['post']['title'] ) : $id;
		$rule    = is_string( $item['ruleName'] ?? null ) ? sanitize_text_field( $item['ruleName'] ) : '';
		$reason  = '';
		$sends   = (int) ( $item['deliveryCount'] ?? 1 );
		if ( $sends > 1 ) {
			$reason = __( 'The feed had already delivered this post. If another site uses the same feed URL, the post may be there too.', 'copydesk' );
		}
		$row = array(
			'item_id' => $id,
			'feed'    => Copydesk_Feed::fingerprint(),
			'rule'    => self::shortened( $rule, 200 ),
			'title'   => self::shortened( $title, 500 ),
			'state'   => $problem ? 'rejected' : Copydesk_Items::OPEN,
			'reason'  => $problem ? $problem : $reason,
			'sends'   => $sends,
			// Without flags JSON is ASCII, which every database stores.
			'body'    => $problem ? '' : (string) wp_json_encode( $item ),
		);
		if ( Copydesk_Items::insert_once( $row ) ) {
			++self::$summary['pulled'];
			if ( $problem ) {
				++self::$summary['failed'];
				self::problem( $id . ': ' . $problem );
			}
			return $id;
		}
		$known = Copydesk_Items::find( $id );
		if ( ! $known ) {
			self::problem( __( 'The site’s database did not store a post. The feed will deliver it again.', 'copydesk' ) );
			return '';
		}
		Copydesk_Items::move( $id, array( Copydesk_Items::OPEN ), Copydesk_Items::OPEN, array( 'sends' => $sends ) );
		$is_other = Copydesk_Feed::fingerprint() !== $known['feed'];
		if ( in_array( $known['told'], array( 'used', 'rejected' ), true ) || $is_other ) {
			// It was told and does not know: the feed's memory was lost, or the address is another.
			Copydesk_Items::move( $id, array( $known['state'] ), $known['state'], array( 'told' => '', 'feed' => Copydesk_Feed::fingerprint() ) );
		}
		return $id;
	}

	/**
	 * Take an open item as far as it goes. What it throws or says ends only its own try.
	 *
	 * @param string $want 'publish' in place of the status that the settings say.
	 */
	private static function carry( string $id, string $want = '' ): void {
		$row = Copydesk_Items::find( $id );
		if ( ! $row || Copydesk_Items::OPEN !== $row['state'] ) {
			return;
		}
		$wait_s = min( self::LONGEST_WAIT, self::FIRST_WAIT * pow( 2, min( 20, $row['attempts'] ) ) );
		if ( ! Copydesk_Items::begin_try( $row, $wait_s ) ) {
			return;
		}
		if ( $row['attempts'] >= self::TRIES ) {
			// It ended PHP in its last try, or it would be parked already.
			self::fail( $row, __( 'PHP stopped while this post was being published.', 'copydesk' ) );
			return;
		}
		try {
			$done = self::carry_alone( $row, $want );
			if ( is_wp_error( $done ) ) {
				self::fail( $row, $done->get_error_message() );
			}
		} catch ( Throwable $error ) {
			self::fail( $row, get_class( $error ) . ': ' . $error->getMessage() );
		} finally {
			self::$own = 0;
		}
	}

	/** @return true|WP_Error */
	private static function carry_alone( array $row, string $want ) {
		$item = json_decode( $row['body'], true );
		if ( ! is_array( $item ) ) {
			return new WP_Error( 'copydesk_text', __( 'The text of this post is no longer stored.', 'copydesk' ) );
		}
		$route = Copydesk_Settings::route( $item );
		if ( '' !== $want ) {
			$route['status'] = $want;
		}
		$slot = self::slot( $row, $route );
		$post = self::fresh_post( $row['post_id'] );
		if ( ! $post ) {
			$post = self::begin_post( $row );
			if ( is_wp_error( $post ) ) {
				return $post;
			}
		}
		self::$own = $post->ID;
		if ( ! in_array( $post->post_status, array( 'auto-draft', 'draft' ), true ) ) {
			self::mend( $post ); // The last try got this far, or the owner decided.
			return self::end( $row, $post );
		}
		$is_begun = 'auto-draft' === $post->post_status;
		if ( ! $is_begun && ! Copydesk_Post::is_unedited( $post, $item, $route ) ) {
			return self::end( $row, $post, __( 'Someone edited this draft, so Copydesk leaves it as it is. Use “Publish now” to publish it.', 'copydesk' ) );
		}
		$status = self::status_fields( $route['status'], $slot );
		$filled = Copydesk_Post::fill( $post->ID, $item, $route, $status );
		if ( is_wp_error( $filled ) && 'copydesk_bad_item' === $filled->get_error_code() ) {
			return self::drop( $row, 'rejected', $filled->get_error_message() ); // No other try will help.
		}
		if ( is_wp_error( $filled ) ) {
			return $filled;
		}
		$post = get_post( $post->ID );
		if ( ! $post ) {
			return self::withdraw( $row );
		}
		$reason  = '';
		$changed = Copydesk_Post::changed( $post, $item, $route, $status );
		if ( $changed ) {
			/* translators: %s: a list such as "status, excerpt". */
			$reason = sprintf( __( 'This site changed or removed what Copydesk wrote: %s. See which plugin does that.', 'copydesk' ), implode( ', ', $changed ) );
			self::problem( $row['title'] . ': ' . $reason );
		}
		return self::end( $row, $post, $reason );
	}

	/** The time at which the post is to appear, stored in the row; 0 for none. */
	private static function slot( array $row, array $route ): int {
		if ( 'schedule' !== $route['status'] ) {
			return 0;
		}
		$slot = null === $row['slot'] ? 0 : Copydesk_Items::timestamp( $row['slot'] );
		if ( $slot > time() - self::MISSED ) {
			return $slot;
		}
		$next = Copydesk_Calendar::next( (array) $route['schedule'], Copydesk_Items::taken_slots(), time() );
		Copydesk_Items::move( $row['item_id'], array( $row['state'] ), $row['state'], array( 'slot' => gmdate( 'Y-m-d H:i:s', $next ) ), array( 'slot' => $row['slot'] ) );
		$row = Copydesk_Items::find( $row['item_id'] );
		return $row && $row['slot'] ? Copydesk_Items::timestamp( $row['slot'] ) : $next;
	}

	/** An empty post that the row has, made here or by another process. @return WP_Post|WP_Error */
	private static function begin_post( array $row ) {
		$made = Copydesk_Post::begin( $row['item_id'] );
		if ( $made && ! Copydesk_Items::move( $row['item_id'], array( Copydesk_Items::OPEN ), Copydesk_Items::OPEN, array( 'post_id' => $made ), array( 'post_id' => $row['post_id'] ) ) ) {
			wp_delete_post( $made, true );
			$again = Copydesk_Items::find( $row['item_id'] );
			$made  = $again ? $again['post_id'] : 0;
		}
		$post = self::fresh_post( $made );
		return $post ? $post : new WP_Error( 'copydesk_begin', __( 'The site did not store a new post.', 'copydesk' ) );
	}

	/** The fields of a post that say who sees it and when. */
	private static function status_fields( string $status, int $slot ): array {
		if ( 'schedule' !== $status ) {
			return array( 'post_status' => $status );
		}
		// WordPress publishes at once what has a time that passed.
		$time = gmdate( 'Y-m-d H:i:s', $slot );
		return array( 'post_status' => 'future', 'post_date_gmt' => $time, 'post_date' => get_date_from_gmt( $time ), 'edit_date' => true );
	}

	/** The row says what readers see. */
	private static function end( array $row, WP_Post $post, string $reason = '' ): bool {
		$fields = self::fields_of( $post ) + array( 'attempts' => 0, 'next_try' => null );
		if ( '' !== $reason ) {
			$fields['reason'] = $reason;
		} elseif ( $row['attempts'] && 'trash' !== $post->post_status ) {
			$fields['reason'] = '';
		}
		if ( Copydesk_Items::move( $row['item_id'], array( Copydesk_Items::OPEN ), self::state_of( $post ), $fields ) && 'trash' !== $post->post_status ) {
			++self::$summary['published'];
		}
		return true;
	}

	/** Do what WordPress does after it stored a post's status, where PHP ended in between. */
	private static function mend( WP_Post $post ): void {
		if ( ! in_array( $post->post_status, array( 'publish', 'future' ), true ) ) {
			return;
		}
		if ( ! wp_get_post_categories( $post->ID ) ) {
			wp_set_post_categories( $post->ID, array() ); // The site's default one.
		}
		foreach ( get_object_taxonomies( $post ) as $taxonomy ) {
			$terms = wp_get_object_terms( $post->ID, $taxonomy, array( 'fields' => 'tt_ids' ) );
			if ( is_array( $terms ) && $terms ) {
				wp_update_term_count( $terms, $taxonomy );
			}
		}
		if ( 'future' === $post->post_status && ! wp_next_scheduled( 'publish_future_post', array( $post->ID ) ) ) {
			wp_schedule_single_event( Copydesk_Items::timestamp( $post->post_date_gmt ), 'publish_future_post', array( $post->ID ) );
		}
	}

	private static function withdraw( array $row ): bool {
		Copydesk_Items::move( $row['item_id'], array( Copydesk_Items::OPEN ), 'withdrawn', array( 'reason' => self::withdrawn_reason() ) );
		return true;
	}

	/** A try failed. What is wrong with the site itself does not count against the item. */
	private static function fail( array $row, string $reason ): void {
		$reason = self::shortened( Copydesk_Feed::without_address( wp_strip_all_tags( $reason ) ), self::MAX_REASON );
		++self::$summary['failed'];
		self::problem( $row['title'] . ': ' . $reason );
		$now = Copydesk_Items::find( $row['item_id'] );
		if ( ! $now || Copydesk_Items::OPEN !== $now['state'] ) {
			return;
		}
		$fields   = array( 'reason' => $reason );
		$is_sites = ! self::note_begun();
		if ( $is_sites ) {
			$fields['attempts'] = $row['attempts'];
		}
		$is_last = ! $is_sites && $row['attempts'] + 1 >= self::TRIES;
		Copydesk_Items::move( $row['item_id'], array( $now['state'] ), $is_last ? 'parked' : $now['state'], $fields );
	}

	/** Say to the feed what became of an item, where it is to know and does not. */
	private static function tell( string $id ): void {
		$row = self::$feed_is_up && ! Copydesk_Feed::waits_until() ? Copydesk_Items::find( $id ) : null;
		if ( ! $row || ! in_array( $row['told'], Copydesk_Items::UNTOLD, true ) || Copydesk_Feed::fingerprint() !== $row['feed'] ) {
			return; // Another feed's item: that one can be told when its address is set again.
		}
		$is_used = 'seen' === $row['told'] || in_array( $row['state'], Copydesk_Items::POSTED, true );
		if ( ! $is_used && ! in_array( $row['state'], array( 'rejected', 'never', 'withdrawn' ), true ) ) {
			return;
		}
		$is_seen = $row['post_id'] && 'publish' === get_post_status( $row['post_id'] );
		$url     = $is_seen ? (string) get_permalink( $row['post_id'] ) : '';
		$answer  = $is_used ? Copydesk_Feed::confirm( $id, $url ) : Copydesk_Feed::reject( $id );
		$told    = $is_used ? 'used' : 'rejected';
		$fields  = array();
		if ( is_wp_error( $answer ) ) {
			if ( 'copydesk_feed_conflict' !== $answer->get_error_code() ) {
				self::feed_problem( $answer );
				return;
			}
			$told             = 'conflict';
			$fields['reason'] = trim( $row['reason'] . ' ' . $answer->get_error_message() );
		}
		// The state may have changed by now: a post that appeared in the meantime is used all the same.
		Copydesk_Items::move( $id, Copydesk_Items::STATES, $row['state'], array( 'told' => $told ) + $fields, array( 'state' => $row['state'] ) );
	}

	private static function feed_problem( WP_Error $error ): void {
		self::$feed_is_up = false;
		self::problem( $error->get_error_message() );
	}

	/** @return true|WP_Error */
	private static function publish_now( array $row ) {
		$post = self::fresh_post( $row['post_id'] );
		if ( in_array( $row['state'], array( 'scheduled', 'draft', 'pending' ), true ) ) {
			if ( ! $post ) {
				return self::refusal( __( 'The post was deleted. Use “Retry” to create it again.', 'copydesk' ) );
			}
			$fields = array( 'ID' => $post->ID, 'post_status' => 'publish' );
			if ( 'future' === $post->post_status ) {
				$fields['post_date']     = current_time( 'mysql' );
				$fields['post_date_gmt'] = current_time( 'mysql', true );
				$fields['edit_date']     = true;
			}
			$done = wp_update_post( $fields, true ); // follow() changes the row.
			return is_wp_error( $done ) ? $done : true;
		}
		if ( ! in_array( $row['state'], array( Copydesk_Items::OPEN, 'parked' ), true ) ) {
			return self::refusal( __( 'Only a post that is waiting, scheduled or stopped can be published now.', 'copydesk' ) );
		}
		return self::again( $row, 'publish' );
	}

	/** @return true|WP_Error */
	private static function retry( array $row ) {
		if ( ! in_array( $row['state'], array( Copydesk_Items::OPEN, 'parked', 'rejected', 'withdrawn' ), true ) ) {
			return self::refusal( __( 'This post is finished. You can retry only a post that is waiting, failed, was rejected or was withdrawn.', 'copydesk' ) );
		}
		return self::again( $row, '' );
	}

	/** Begin an item anew and take it as far as it goes. @return true|WP_Error */
	private static function again( array $row, string $want ) {
		if ( '' === $row['body'] ) {
			return self::refusal( __( 'The text of this post is no longer stored.', 'copydesk' ) );
		}
		$post   = self::fresh_post( $row['post_id'] );
		$fields = array( 'attempts' => 0, 'next_try' => null, 'reason' => '' );
		if ( 'withdrawn' === $row['state'] || ! $post ) {
			$fields['post_id'] = $post ? $post->ID : 0;
		}
		if ( 'rejected' === $row['told'] ) {
			$fields['told'] = '';
		}
		if ( $post && 'trash' === $post->post_status ) {
			self::$own = $post->ID;
			wp_untrash_post( $post->ID );
			self::$own = 0;
		}
		if ( ! Copydesk_Items::move( $row['item_id'], array( $row['state'] ), Copydesk_Items::OPEN, $fields ) ) {
			$now = Copydesk_Items::find( $row['item_id'] );
			if ( ! $now || Copydesk_Items::OPEN !== $now['state'] ) {
				return self::refusal( __( 'The post changed in the meantime. Reload the page.', 'copydesk' ) );
			}
		}
		self::carry( $row['item_id'], $want );
		self::tell( $row['item_id'] );
		$now = Copydesk_Items::find( $row['item_id'] );
		if ( $now && Copydesk_Items::OPEN === $now['state'] ) {
			return self::refusal( '' === $now['reason'] ? __( 'The post is not finished yet. The next run continues.', 'copydesk' ) : $now['reason'] );
		}
		return true;
	}

	/** End an item by hand; its post, where readers do not see it, goes into the trash. @return true|WP_Error */
	private static function drop( array $row, string $to, string $reason ) {
		if ( 'live' === $row['state'] ) {
			return self::refusal( __( 'This post is live. Move it to the trash instead.', 'copydesk' ) );
		}
		if ( $to === $row['state'] ) {
			return true;
		}
		if ( 'never' === $row['state'] ) {
			return self::refusal( __( 'Someone decided that this post is never published here. This cannot be undone.', 'copydesk' ) );
		}
		// The post goes first: where PHP ends in between, nothing is published that was given up.
		$post = self::fresh_post( $row['post_id'] );
		if ( $post && 'auto-draft' === $post->post_status ) {
			wp_delete_post( $post->ID, true );
		} elseif ( $post && ! in_array( $post->post_status, array( 'publish', 'private', 'trash' ), true ) ) {
			wp_trash_post( $post->ID );
		}
		// follow() and forget() may have changed the row by now.
		$from = array_unique( array( $row['state'], Copydesk_Items::OPEN, 'withdrawn' ) );
		if ( ! Copydesk_Items::move( $row['item_id'], $from, $to, array( 'reason' => $reason, 'next_try' => null, 'slot' => null ) ) ) {
			return self::refusal( __( 'The post changed in the meantime. Reload the page.', 'copydesk' ) );
		}
		self::tell( $row['item_id'] );
		return true;
	}

	/** What readers see of a post, as a state. */
	private static function state_of( WP_Post $post ): string {
		$states = array( 'publish' => 'live', 'future' => 'scheduled', 'pending' => 'pending', 'trash' => 'withdrawn' );
		return $states[ $post->post_status ] ?? 'draft';
	}

	/** What a row remembers of its post. */
	private static function fields_of( WP_Post $post ): array {
		if ( 'future' === $post->post_status ) {
			return array( 'slot' => $post->post_date_gmt );
		}
		return 'trash' === $post->post_status ? array( 'reason' => self::withdrawn_reason() ) : array();
	}

	private static function withdrawn_reason(): string {
		return __( 'The post was moved to the trash or deleted. Use “Retry” to create it again.', 'copydesk' );
	}

	/** The post as it is in the database, null for none. */
	private static function fresh_post( int $post_id ): ?WP_Post {
		if ( ! $post_id ) {
			return null;
		}
		wp_cache_delete( $post_id, 'posts' ); // Its terms and fields are this process's own to change.
		$post = get_post( $post_id );
		return $post instanceof WP_Post && 'post' === $post->post_type ? $post : null;
	}

	private static function routes_by_rule(): bool {
		foreach ( (array) ( Copydesk_Settings::get()['routes'] ?? array() ) as $route ) {
			if ( 'rule' === ( $route['match'] ?? '' ) ) {
				return true;
			}
		}
		return false;
	}

	/** Items in the order of their generation. */
	private static function by_time( array $a, array $b ): int {
		$at = static function ( array $item ): string {
			return is_string( $item['generatedAt'] ?? null ) ? $item['generatedAt'] : '';
		};
		return strcmp( $at( $a ), $at( $b ) );
	}

	private static function problem( string $sentence ): void {
		if ( count( self::$summary['problems'] ) < 20 && ! in_array( $sentence, self::$summary['problems'], true ) ) {
			self::$summary['problems'][] = $sentence;
		}
	}

	private static function refusal( string $sentence ): WP_Error {
		return new WP_Error( 'copydesk_refused', $sentence );
	}

	private static function shortened( string $text, int $most ): string {
		$text = Copydesk_Html::storable( wp_check_invalid_utf8( $text, true ), Copydesk_Items::table(), 'title' );
		return mb_strlen( $text ) > $most ? mb_substr( $text, 0, $most - 1 ) . '…' : $text;
	}

	/**
	 * Let one run at a time work on this site. The rows themselves keep every post unique; this saves
	 * the feed from being asked twice.
	 */
	private static function lock( int $wait_s ): bool {
		global $wpdb;
		$quiet = $wpdb->suppress_errors();
		$got   = $wpdb->get_var( $wpdb->prepare( 'SELECT GET_LOCK(%s, %d)', self::lock_name(), $wait_s ) );
		$wpdb->suppress_errors( $quiet );
		self::$lock = '';
		if ( '0' === (string) $got ) {
			return false;
		}
		if ( '1' === (string) $got ) {
			return true; // The database lets it go by itself where PHP ends.
		}
		// SQLite has no such locks.
		$value = ( time() + self::DEAD ) . ' ' . wp_generate_uuid4();
		$add   = "INSERT IGNORE INTO $wpdb->options (option_name, option_value, autoload) VALUES (%s, %s, 'no')";
		$end   = microtime( true ) + $wait_s;
		do {
			if ( $wpdb->query( $wpdb->prepare( $add, self::LOCK, $value ) ) ) {
				self::$lock = $value;
				return true;
			}
			$has = (string) $wpdb->get_var( $wpdb->prepare( "SELECT option_value FROM $wpdb->options WHERE option_name = %s", self::LOCK ) );
			if ( '' === $has ) {
				// The other run just ended, or the database takes no changes, as can_write() says.
				self::$lock = $wpdb->query( $wpdb->prepare( $add, self::LOCK, $value ) ) ? $value : '';
				return true;
			}
			if ( (int) $has < time() && $wpdb->update( $wpdb->options, array( 'option_value' => $value ), array( 'option_name' => self::LOCK, 'option_value' => $has ) ) ) {
				self::$lock = $value;
				return true;
			}
			usleep( 100000 );
		} while ( microtime( true ) < $end );
		return false;
	}

	/** Whether the lock is still this run's. */
	private static function renew_lock(): bool {
		global $wpdb;
		if ( '' === self::$lock ) {
			return true;
		}
		if ( (int) self::$lock > time() + self::DEAD / 2 ) {
			return true;
		}
		$value = ( time() + self::DEAD ) . substr( self::$lock, strlen( (string) (int) self::$lock ) );
		if ( ! $wpdb->update( $wpdb->options, array( 'option_value' => $value ), array( 'option_name' => self::LOCK, 'option_value' => self::$lock ) ) ) {
			return false;
		}
		self::$lock = $value;
		return true;
	}

	private static function unlock(): void {
		global $wpdb;
		if ( '' !== self::$lock ) {
			$wpdb->delete( $wpdb->options, array( 'option_name' => self::LOCK, 'option_value' => self::$lock ) );
			self::$lock = '';
			return;
		}
		$quiet = $wpdb->suppress_errors();
		$wpdb->get_var( $wpdb->prepare( 'SELECT RELEASE_LOCK(%s)', self::lock_name() ) );
		$wpdb->suppress_errors( $quiet );
	}

	/** Names of locks are those of a whole server, and 64 characters long. */
	private static function lock_name(): string {
		global $wpdb;
		return 'copydesk_run_' . md5( DB_NAME . ' ' . $wpdb->options );
	}
}
