<?php
/**
 * The table of the posts of the feed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

if ( ! class_exists( 'WP_List_Table' ) ) {
	require_once ABSPATH . 'wp-admin/includes/class-wp-list-table.php';
}

final class Copydesk_Items_Table extends WP_List_Table {
	/** @var array{state: string, search: string} */
	private $filter;

	public function __construct( array $filter ) {
		parent::__construct(
			array(
				'singular' => 'copydesk-item',
				'plural'   => 'copydesk-items',
				'ajax'     => false,
			)
		);
		$this->filter = $filter;
	}

	public function prepare_items(): void {
		$per_page    = $this->get_items_per_page( Copydesk_Items_Page::PER_PAGE, 20 );
		$page        = Copydesk_Items::page(
			array(
				'state'    => $this->filter['state'],
				'search'   => $this->filter['search'],
				'paged'    => $this->get_pagenum(),
				'per_page' => $per_page,
			)
		);
		$this->items = $page['rows'];
		$posts       = array_filter( array_map( 'intval', array_column( $this->items, 'post_id' ) ) );
		if ( $posts ) {
			_prime_post_caches( $posts, false, false );
		}
		$this->set_pagination_args(
			array(
				'total_items' => (int) $page['total'],
				'per_page'    => $per_page,
			)
		);
	}

	public function get_columns(): array {
		return array(
			'cb'     => '<input type="checkbox">',
			'title'  => __( 'Title', 'copydesk' ),
			'state'  => __( 'State', 'copydesk' ),
			'when'   => __( 'Last change', 'copydesk' ),
			'link'   => __( 'Link', 'copydesk' ),
			'reason' => __( 'Reason', 'copydesk' ),
		);
	}

	protected function get_primary_column_name(): string {
		return 'title';
	}

	protected function get_bulk_actions(): array {
		return array_filter( Copydesk_Items_Page::actions(), array( 'Copydesk_Items_Page', 'may' ), ARRAY_FILTER_USE_KEY );
	}

	protected function get_views(): array {
		$counts = Copydesk_Items::counts();
		$views  = array( 'all' => $this->view( '', __( 'All', 'copydesk' ), (int) array_sum( $counts ) ) );
		foreach ( Copydesk_Items_Page::states() as $state => $label ) {
			if ( ! empty( $counts[ $state ] ) || $state === $this->filter['state'] ) {
				$views[ $state ] = $this->view( $state, $label, (int) ( $counts[ $state ] ?? 0 ) );
			}
		}
		return $views;
	}

	private function view( string $state, string $label, int $number ): string {
		return sprintf(
			'<a href="%s"%s>%s <span class="count">(%s)</span></a>',
			esc_url( Copydesk_Admin::url( Copydesk_Admin::ITEMS, '' === $state ? array() : array( 'state' => $state ) ) ),
			$state === $this->filter['state'] ? ' class="current" aria-current="page"' : '',
			esc_html( $label ),
			esc_html( number_format_i18n( $number ) )
		);
	}

	public function no_items(): void {
		if ( '' !== $this->filter['search'] || '' !== $this->filter['state'] ) {
			esc_html_e( 'No posts match.', 'copydesk' );
		} else {
			esc_html_e( 'No posts yet. They appear here when the feed sends them.', 'copydesk' );
		}
	}

	/** @param array $row */
	protected function column_cb( $row ): string {
		$id = 'copydesk-item-' . md5( $row['item_id'] );
		return sprintf(
			'<label class="screen-reader-text" for="%1$s">%2$s</label><input type="checkbox" name="items[]" id="%1$s" value="%3$s">',
			esc_attr( $id ),
			/* translators: %s: the title of a post. */
			esc_html( sprintf( __( 'Select “%s”', 'copydesk' ), $this->title( $row ) ) ),
			esc_attr( $row['item_id'] )
		);
	}

	protected function column_title( array $row ): string {
		$title = esc_html( $this->title( $row ) );
		$edit  = $row['post_id'] && current_user_can( 'edit_post', (int) $row['post_id'] ) ? get_edit_post_link( (int) $row['post_id'] ) : '';
		$html  = $edit ? sprintf( '<a class="row-title" href="%s">%s</a>', esc_url( $edit ), $title ) : $title;
		$html  = "<strong>$html</strong>";
		if ( '' !== (string) $row['rule'] ) {
			/* translators: %s: the name of the feed's rule. */
			$html .= '<span class="copydesk-rule">' . esc_html( sprintf( __( 'Rule: %s', 'copydesk' ), $row['rule'] ) ) . '</span>';
		}
		return $html . '<div class="copydesk-on-phones">' . $this->column_state( $row ) . '</div>';
	}

	protected function column_state( array $row ): string {
		$states = Copydesk_Items_Page::states();
		$label  = esc_html( $states[ $row['state'] ] ?? $row['state'] );
		$kind   = $row['state'];
		if ( 'scheduled' === $row['state'] && $row['slot'] ) {
			/* translators: %s: a date and a time. */
			$label = sprintf( esc_html__( 'Scheduled for %s', 'copydesk' ), Copydesk_Admin::moment( $row['slot'] ) );
		} elseif ( self::is_failing( $row ) ) {
			$kind  = 'failing';
			$label = esc_html__( 'Trying again', 'copydesk' );
			if ( $row['next_try'] ) {
				/* translators: %s: a date and a time. */
				$label = sprintf( esc_html__( 'Next try: %s', 'copydesk' ), Copydesk_Admin::moment( $row['next_try'] ) );
			}
		}
		return sprintf( '<span class="copydesk-state copydesk-state-%s">%s</span>', esc_attr( sanitize_html_class( $kind ) ), $label );
	}

	protected function column_when( array $row ): string {
		return Copydesk_Admin::moment( $row['updated_at'] );
	}

	protected function column_link( array $row ): string {
		$link = Copydesk_Items_Page::link( $row );
		if ( '' === $link ) {
			return '';
		}
		$is_public = is_post_publicly_viewable( (int) $row['post_id'] );
		return sprintf(
			'<a href="%s" aria-label="%s">%s</a>',
			esc_url( $link ),
			/* translators: %s: the title of a post. */
			esc_attr( sprintf( $is_public ? __( 'View “%s”', 'copydesk' ) : __( 'Preview “%s”', 'copydesk' ), $this->title( $row ) ) ),
			$is_public ? esc_html__( 'View', 'copydesk' ) : esc_html__( 'Preview', 'copydesk' )
		);
	}

	protected function column_reason( array $row ): string {
		return esc_html( (string) $row['reason'] );
	}

	/**
	 * @param array  $row
	 * @param string $column
	 * @param string $primary
	 */
	protected function handle_row_actions( $row, $column, $primary ): string {
		if ( $column !== $primary ) {
			return '';
		}
		$offered = Copydesk_Items_Page::ACTIONS[ $row['state'] ] ?? array();
		if ( self::is_failing( $row ) ) {
			array_unshift( $offered, 'retry' );
		}
		$actions = array();
		foreach ( Copydesk_Items_Page::actions() as $action => $label ) {
			if ( in_array( $action, $offered, true ) && Copydesk_Items_Page::may( $action ) && ! ( 'reject' === $action && $row['told'] ) ) {
				$actions[ $action ] = sprintf(
					'<button class="button-link" name="copydesk_one" value="%s" data-copydesk-ask="%s" aria-label="%s">%s</button>',
					esc_attr( $action . '|' . $row['item_id'] ),
					esc_attr( in_array( $action, array( 'reject', 'never' ), true ) ? $action : '' ),
					/* translators: 1: an action such as "Reject", 2: the title of a post. */
					esc_attr( sprintf( __( '%1$s: “%2$s”', 'copydesk' ), $label, $this->title( $row ) ) ),
					esc_html( $label )
				);
			}
		}
		$toggle = '<button type="button" class="toggle-row"><span class="screen-reader-text">' . esc_html__( 'Show more details', 'copydesk' ) . '</span></button>';
		return $this->row_actions( $actions, true ) . $toggle;
	}

	private function title( array $row ): string {
		return '' === trim( (string) $row['title'] ) ? __( '(no title)', 'copydesk' ) : (string) $row['title'];
	}

	/** Whether it failed and is tried again on its own. */
	private static function is_failing( array $row ): bool {
		return Copydesk_Items::OPEN === $row['state'] && (int) $row['attempts'] > 0;
	}
}
