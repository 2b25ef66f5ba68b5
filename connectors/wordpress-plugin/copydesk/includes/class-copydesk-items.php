<?php
/**
 * The plugin's own table: one row for each item of the feed, unique by the item's id.
 *
 * A row is written before anything else is done with an item, and each step of the way is one
 * conditional UPDATE, so that of two processes only one takes it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

final class Copydesk_Items {
	/** The state in which there is still something to do. */
	const OPEN = 'received';

	/** States in which a post of the item exists. */
	const POSTED = array( 'live', 'scheduled', 'draft', 'pending' );

	const STATES = array( self::OPEN, 'live', 'scheduled', 'draft', 'pending', 'parked', 'rejected', 'withdrawn', 'never' );

	/** What an item's id may look like. */
	const ID_PATTERN = '^[A-Za-z0-9_.~-]{1,100}$';
	const ID         = '/' . self::ID_PATTERN . '/D';

	/** What "told" says while the feed is still to be told: nothing, or that readers saw the post. */
	const UNTOLD = array( '', 'seen' );

	/** Days after which the text of a finished item is deleted from the table. */
	const KEEP_DAYS = 30;

	/** What is free where has_room() says so: rows, and bytes of each, which every database takes at once. */
	const ROOM_ROWS  = 2;
	const ROOM_BYTES = 500000;

	/** The version of the table; a change makes install() run again. */
	const VERSION = '2';
	const OPTION  = 'copydesk_table';

	/** All columns without the text. */
	const COLUMNS = 'item_id, feed, rule, title, state, post_id, reason, slot, attempts, sends, next_try, told, received_at, updated_at';

	public static function boot(): void {
		add_action( 'init', array( __CLASS__, 'upgrade' ), 1 );
		add_action( 'wp_uninitialize_site', array( __CLASS__, 'drop_with_site' ), 1 );
	}

	public static function table(): string {
		global $wpdb;
		return $wpdb->prefix . 'copydesk_items';
	}

	/** Create the table where this version of it was not created yet, also on a new site of a network. */
	public static function upgrade(): void {
		if ( self::VERSION !== get_option( self::OPTION ) ) {
			self::install();
		}
	}

	/** Create or change the table. */
	public static function install(): void {
		global $wpdb;
		require_once ABSPATH . 'wp-admin/includes/upgrade.php';
		$table = self::table();
		// Ids have capitals, and MySQL ignores them unless it is told not to.
		$exact = $wpdb->charset ? "CHARACTER SET {$wpdb->charset} COLLATE {$wpdb->charset}_bin" : '';
		dbDelta(
			"CREATE TABLE $table (
item_id varchar(100) $exact NOT NULL,
feed char(64) NOT NULL DEFAULT '',
rule varchar(200) NOT NULL DEFAULT '',
title varchar(500) NOT NULL DEFAULT '',
state varchar(20) NOT NULL DEFAULT 'received',
post_id bigint(20) unsigned NOT NULL DEFAULT 0,
body longtext NOT NULL,
reason text NOT NULL,
slot datetime DEFAULT NULL,
attempts int(11) NOT NULL DEFAULT 0,
sends int(11) NOT NULL DEFAULT 0,
next_try datetime DEFAULT NULL,
told varchar(10) NOT NULL DEFAULT '',
received_at datetime NOT NULL,
updated_at datetime NOT NULL,
PRIMARY KEY  (item_id),
KEY state_next_try (state,next_try),
KEY updated_at (updated_at),
KEY post_id (post_id),
KEY told (told),
KEY slot (slot)
) {$wpdb->get_charset_collate()};"
		);
		if ( self::is_installed() ) {
			update_option( self::OPTION, self::VERSION );
		}
	}

	public static function is_installed(): bool {
		global $wpdb;
		return self::table() === $wpdb->get_var( $wpdb->prepare( 'SHOW TABLES LIKE %s', $wpdb->esc_like( self::table() ) ) );
	}

	/** A site of a network is deleted. */
	public static function drop_with_site( WP_Site $site ): void {
		global $wpdb;
		$table = $wpdb->get_blog_prefix( (int) $site->blog_id ) . 'copydesk_items';
		// phpcs:ignore WordPress.DB.PreparedSQL.InterpolatedNotPrepared
		$wpdb->query( "DROP TABLE IF EXISTS $table" );
	}

	/** The row of an item with its text, null for none. */
	public static function find( string $id ): ?array {
		global $wpdb;
		$row = $wpdb->get_row( $wpdb->prepare( 'SELECT * FROM ' . self::table() . ' WHERE item_id = %s', $id ), ARRAY_A );
		// SQLite's drop-in takes ids that differ in capitals for the same.
		return $row && $row['item_id'] === $id ? self::typed( $row ) : null;
	}

	/** The row of the item whose post this is, null for none. */
	public static function find_by_post( int $post_id ): ?array {
		global $wpdb;
		$row = $post_id ? $wpdb->get_row( $wpdb->prepare( 'SELECT * FROM ' . self::table() . ' WHERE post_id = %d', $post_id ), ARRAY_A ) : null;
		return $row ? self::typed( $row ) : null;
	}

	/**
	 * A page of rows without their texts, the last changed first.
	 *
	 * @param array $args state ('' for all), search (in title, id, rule), paged (from 1), per_page.
	 * @return array rows, and total: how many there are on all pages.
	 */
	public static function page( array $args ): array {
		global $wpdb;
		$where  = array( '1 = 1' );
		$values = array();
		if ( in_array( $args['state'] ?? '', self::STATES, true ) ) {
			$where[]  = 'state = %s';
			$values[] = $args['state'];
		}
		$search = is_string( $args['search'] ?? '' ) ? trim( mb_substr( $args['search'] ?? '', 0, 200 ) ) : '';
		if ( '' !== $search ) {
			$like    = '%' . $wpdb->esc_like( $search ) . '%';
			$where[] = '(title LIKE %s OR item_id LIKE %s OR rule LIKE %s)';
			array_push( $values, $like, $like, $like );
		}
		$per_page = min( 500, max( 1, (int) ( $args['per_page'] ?? 20 ) ) );
		$offset   = ( max( 1, (int) ( $args['paged'] ?? 1 ) ) - 1 ) * $per_page;
		$from     = ' FROM ' . self::table() . ' WHERE ' . implode( ' AND ', $where );
		$count    = 'SELECT COUNT(*)' . $from;
		$total    = (int) $wpdb->get_var( $values ? $wpdb->prepare( $count, $values ) : $count );
		array_push( $values, $per_page, $offset );
		$sql  = 'SELECT ' . self::COLUMNS . $from . ' ORDER BY updated_at DESC, item_id LIMIT %d OFFSET %d';
		$rows = $wpdb->get_results( $wpdb->prepare( $sql, $values ), ARRAY_A );
		return array(
			'rows'  => array_map( array( __CLASS__, 'typed' ), $rows ? $rows : array() ),
			'total' => $total,
		);
	}

	/** How many items are in each state; every state is a key. */
	public static function counts(): array {
		global $wpdb;
		$counts = array_fill_keys( self::STATES, 0 );
		$rows   = $wpdb->get_results( 'SELECT state, COUNT(*) AS n FROM ' . self::table() . ' GROUP BY state', ARRAY_A );
		foreach ( $rows ? $rows : array() as $row ) {
			$counts[ $row['state'] ] = (int) $row['n'];
		}
		return $counts;
	}

	/**
	 * Change a row if it is in one of some states, in one statement.
	 *
	 * @param string[] $from_states The states that it may have.
	 * @param string   $to          Its new state.
	 * @param array    $fields      Column => value; null stores NULL.
	 * @param array    $if          Column => value that the row must have besides.
	 * @return bool Whether this call changed it.
	 */
	public static function move( string $id, array $from_states, string $to, array $fields = array(), array $if = array() ): bool {
		global $wpdb;
		$fields = array( 'state' => $to, 'updated_at' => self::now() ) + $fields;
		$sets   = array();
		$values = array();
		foreach ( $fields as $column => $value ) {
			$sets[] = self::assigned( $column, $value, $values );
		}
		$wheres   = array( 'item_id = %s', 'state IN (' . implode( ', ', array_fill( 0, count( $from_states ), '%s' ) ) . ')' );
		$values[] = $id;
		$values   = array_merge( $values, array_values( $from_states ) );
		foreach ( $if as $column => $value ) {
			$wheres[] = str_replace( ' = NULL', ' IS NULL', self::assigned( $column, $value, $values ) );
		}
		$sql = 'UPDATE ' . self::table() . ' SET ' . implode( ', ', $sets ) . ' WHERE ' . implode( ' AND ', $wheres );
		return (bool) $wpdb->query( $wpdb->prepare( $sql, $values ) );
	}

	/**
	 * Write a row unless there is one of that item.
	 *
	 * @param array $row Column => value; what is left out gets the column's default.
	 * @return bool Whether this call wrote it.
	 */
	public static function insert_once( array $row ): bool {
		global $wpdb;
		$row   += array( 'state' => self::OPEN, 'reason' => '', 'received_at' => self::now(), 'updated_at' => self::now() );
		$values = array();
		$places = array();
		foreach ( $row as $value ) {
			$places[] = is_int( $value ) ? '%d' : '%s';
			$values[] = $value;
		}
		$sql = 'INSERT IGNORE INTO ' . self::table() . ' (' . implode( ', ', array_keys( $row ) ) . ') VALUES (' . implode( ', ', $places ) . ')';
		return (bool) $wpdb->query( $wpdb->prepare( $sql, $values ) );
	}

	/**
	 * Whether the table takes new items now: rows as large as one are written and taken back. A disk
	 * without room and a lock of another program are noticed before the feed counts a delivery.
	 */
	public static function has_room(): bool {
		global $wpdb;
		$quiet = $wpdb->suppress_errors();
		// SQLite keeps in memory what is not committed, which proves no room.
		if ( $wpdb->is_mysql ) {
			$wpdb->query( 'START TRANSACTION' );
		}
		$has = true;
		for ( $part = 0; $has && $part < self::ROOM_ROWS; $part++ ) {
			// No item's id has an exclamation mark.
			$id  = '!' . wp_generate_uuid4();
			$has = self::insert_once( array( 'item_id' => $id, 'state' => 'room', 'body' => str_repeat( 'x', self::ROOM_BYTES ) ) );
		}
		if ( $wpdb->is_mysql ) {
			$wpdb->query( 'ROLLBACK' );
		}
		if ( $has ) {
			// SQLite has them still, and a table without transactions.
			$wpdb->query( 'DELETE FROM ' . self::table() . " WHERE state = 'room'" );
		}
		$wpdb->suppress_errors( $quiet );
		return $has;
	}

	/**
	 * Begin a try of an open row that is due. It is counted before it is made, and the next one is
	 * put off, so that an item that ends PHP itself waits like any other that fails.
	 *
	 * @return bool False where another process began one, or the row is not due.
	 */
	public static function begin_try( array $row, int $wait_s ): bool {
		global $wpdb;
		$sql = 'UPDATE ' . self::table() . " SET attempts = attempts + 1, next_try = %s, updated_at = %s WHERE item_id = %s AND state = 'received' AND attempts = %d AND (next_try IS NULL OR next_try <= %s)";
		$now = self::now();
		return (bool) $wpdb->query( $wpdb->prepare( $sql, self::now( $wait_s ), $now, $row['item_id'], $row['attempts'], $now ) );
	}

	/** The ids of the open rows that are due, the oldest first. @return string[] */
	public static function due( int $limit ): array {
		global $wpdb;
		$sql = 'SELECT item_id FROM ' . self::table() . " WHERE state = 'received' AND (next_try IS NULL OR next_try <= %s) ORDER BY received_at, item_id LIMIT %d";
		return $wpdb->get_col( $wpdb->prepare( $sql, self::now(), $limit ) );
	}

	/** The ids of the rows of a feed that it was not told the end of, the oldest first. @return string[] */
	public static function untold( string $feed, int $limit ): array {
		global $wpdb;
		$sql = 'SELECT item_id FROM ' . self::table() . " WHERE told IN ('', 'seen') AND feed = %s AND state NOT IN ('received', 'parked') ORDER BY received_at, item_id LIMIT %d";
		return $wpdb->get_col( $wpdb->prepare( $sql, $feed, $limit ) );
	}

	/** How many rows still have something to do. */
	public static function count_open(): int {
		global $wpdb;
		return (int) $wpdb->get_var( 'SELECT COUNT(*) FROM ' . self::table() . " WHERE state = 'received'" );
	}

	/** The title of an open item that a feed has delivered so many times, "" for none. */
	public static function delivered( string $feed, int $times ): string {
		global $wpdb;
		$sql = 'SELECT title FROM ' . self::table() . " WHERE state = 'received' AND feed = %s AND sends >= %d LIMIT 1";
		return (string) $wpdb->get_var( $wpdb->prepare( $sql, $feed, $times ) );
	}

	/**
	 * The ids of the rows that no longer say what readers see, and of those whose time of publishing
	 * has passed: a timer was lost, or PHP ended between a change of the post and that of its row.
	 *
	 * @return string[]
	 */
	public static function outdated(): array {
		global $wpdb;
		// As Copydesk_Runner::state_of() has it.
		$seen = "CASE WHEN p.ID IS NULL OR p.post_status = 'trash' THEN 'withdrawn' WHEN p.post_status = 'publish' THEN 'live' WHEN p.post_status = 'future' THEN 'scheduled' WHEN p.post_status = 'pending' THEN 'pending' ELSE 'draft' END";
		$sql  = 'SELECT i.item_id FROM ' . self::table() . " i LEFT JOIN $wpdb->posts p ON p.ID = i.post_id AND p.post_type = 'post' WHERE i.state IN ('live', 'scheduled', 'draft', 'pending', 'withdrawn') AND (i.state <> $seen OR (i.state = 'scheduled' AND i.slot <= %s)) AND (p.ID IS NULL OR p.post_status <> 'auto-draft') ORDER BY i.slot LIMIT 500";
		return $wpdb->get_col( $wpdb->prepare( $sql, self::now() ) );
	}

	/** The slots that are given away from two days ago on, as UTC timestamps. @return int[] */
	public static function taken_slots(): array {
		global $wpdb;
		$sql   = 'SELECT slot FROM ' . self::table() . " WHERE slot >= %s AND state NOT IN ('rejected', 'never', 'withdrawn')";
		$slots = $wpdb->get_col( $wpdb->prepare( $sql, self::now( -2 * DAY_IN_SECONDS ) ) );
		return array_map( array( __CLASS__, 'timestamp' ), $slots );
	}

	/** The terms of the posts whose rows changed since a time: taxonomy => ids in its table. @return int[][] */
	public static function terms_since( int $time ): array {
		global $wpdb;
		$sql   = 'SELECT DISTINCT t.taxonomy, t.term_taxonomy_id FROM ' . self::table() . " i JOIN $wpdb->term_relationships r ON r.object_id = i.post_id JOIN $wpdb->term_taxonomy t ON t.term_taxonomy_id = r.term_taxonomy_id WHERE i.updated_at >= %s";
		$terms = array();
		foreach ( (array) $wpdb->get_results( $wpdb->prepare( $sql, self::now( $time - time() ) ) ) as $term ) {
			$terms[ $term->taxonomy ][] = (int) $term->term_taxonomy_id;
		}
		return $terms;
	}

	/** Delete the texts of items that ended a while ago. */
	public static function forget_texts(): void {
		global $wpdb;
		$sql = 'UPDATE ' . self::table() . " SET body = '' WHERE updated_at < %s AND state <> 'received' AND body <> ''";
		$wpdb->query( $wpdb->prepare( $sql, self::now( -self::KEEP_DAYS * DAY_IN_SECONDS ) ) );
	}

	/** The time as the table stores it, in UTC. */
	public static function now( int $later_s = 0 ): string {
		return gmdate( 'Y-m-d H:i:s', time() + $later_s );
	}

	/** A time of the table as a UTC timestamp. */
	public static function timestamp( string $stored ): int {
		return (int) strtotime( $stored . ' UTC' );
	}

	/** "column = value" for a statement; adds what has to be put in to $values. */
	private static function assigned( string $column, $value, array &$values ): string {
		if ( null === $value ) {
			return "$column = NULL";
		}
		$values[] = $value;
		return $column . ( is_int( $value ) ? ' = %d' : ' = %s' );
	}

	private static function typed( array $row ): array {
		$row['post_id']  = (int) $row['post_id'];
		$row['attempts'] = (int) $row['attempts'];
		$row['sends']    = (int) $row['sends'];
		return $row;
	}
}
