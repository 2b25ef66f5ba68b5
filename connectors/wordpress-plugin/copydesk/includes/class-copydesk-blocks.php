<?php
/**
 * A post's text as blocks of WordPress's editor.
 *
 * Each block has the HTML that its save function in the editor writes; otherwise the editor reports
 * "This block contains unexpected or invalid content". Older versions take the classes of newer ones
 * (wp-block-heading, wp-block-list) for classes that the owner added.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

require_once __DIR__ . '/class-copydesk-html.php';

/** Writes blocks from the nodes of Copydesk_Html. */
final class Copydesk_Blocks {
	/**
	 * Elements and texts as the markup of blocks.
	 *
	 * @param array<int,Copydesk_Node|string> $children The children of a root or a quotation.
	 */
	public static function write( array $children ): string {
		return implode( "\n\n", self::blocks( $children ) );
	}

	/** A paragraph, with a class and a size of the theme where they are given. */
	public static function paragraph( string $html, string $class_name = '', string $size = '' ): string {
		$attributes = array_filter( array( 'className' => $class_name, 'fontSize' => $size ) );
		$classes    = trim( $class_name . ( '' === $size ? '' : " has-$size-font-size" ) );
		$opening    = '' === $classes ? '<p>' : "<p class=\"$classes\">";
		return self::block( 'paragraph', "$opening$html</p>", $attributes );
	}

	/** @return string[] */
	private static function blocks( array $children ): array {
		$blocks = array();
		$loose  = array();
		foreach ( $children as $child ) {
			$is_inline = is_string( $child ) || in_array( $child->tag, Copydesk_Html::INLINE, true ) || 'br' === $child->tag || '#comment' === $child->tag;
			if ( $is_inline ) {
				$loose[] = $child;
				continue;
			}
			array_push( $blocks, ...self::paragraph_of( $loose ), ...self::blocks_of( $child ) );
			$loose = array();
		}
		array_push( $blocks, ...self::paragraph_of( $loose ) );
		return $blocks;
	}

	/** @return string[] */
	private static function paragraph_of( array $children ): array {
		$html = Copydesk_Html::write( $children );
		return '' === $html ? array() : array( self::paragraph( $html ) );
	}

	/** @return string[] None for an element without a text. */
	private static function blocks_of( Copydesk_Node $node ): array {
		if ( 'hr' === $node->tag ) {
			return array( self::block( 'separator', '<hr class="wp-block-separator has-alpha-channel-opacity"/>' ) );
		}
		if ( '' === trim( $node->text() ) ) {
			return array();
		}
		switch ( $node->tag ) {
			case 'p':
				return self::paragraph_of( $node->children );
			case 'ul':
			case 'ol':
				return array( self::list_block( $node ) );
			case 'blockquote':
				$inner = self::write( $node->children );
				return array( self::block( 'quote', "<blockquote class=\"wp-block-quote\">$inner</blockquote>" ) );
			case 'table':
				return array( self::table( $node ) );
			case 'pre':
				return array( self::code( $node ) );
			case 'div':
				return self::blocks( $node->children );
		}
		$level = (int) substr( $node->tag, 1 );
		$inner = Copydesk_Html::write( $node->children );
		$html  = "<{$node->tag} class=\"wp-block-heading\">$inner</{$node->tag}>";
		return array( self::block( 'heading', $html, 2 === $level ? array() : array( 'level' => $level ) ) );
	}

	private static function block( string $name, string $html, array $attributes = array() ): string {
		$written = $attributes ? ' ' . wp_json_encode( $attributes, JSON_HEX_TAG | JSON_UNESCAPED_SLASHES ) : '';
		return "<!-- wp:$name$written -->\n$html\n<!-- /wp:$name -->";
	}

	private static function list_block( Copydesk_Node $node ): string {
		$items = array();
		foreach ( $node->children as $item ) {
			if ( $item instanceof Copydesk_Node && 'li' === $item->tag ) {
				$items[] = self::list_item( $item );
			}
		}
		$inner = implode( "\n\n", array_filter( $items ) );
		if ( 'ul' === $node->tag ) {
			return self::block( 'list', "<ul class=\"wp-block-list\">$inner</ul>" );
		}
		$start   = $node->attributes['start'] ?? '';
		$opening = '' === $start ? '<ol class="wp-block-list">' : "<ol start=\"$start\" class=\"wp-block-list\">";
		$numbers = array( 'ordered' => true ) + ( '' === $start ? array() : array( 'start' => (int) $start ) );
		return self::block( 'list', "$opening$inner</ol>", $numbers );
	}

	private static function list_item( Copydesk_Node $item ): string {
		$lists = array();
		$texts = array_filter( self::lines( $item->children, $lists ), 'strlen' );
		if ( ! $texts && ! $lists ) {
			return '';
		}
		$inner = implode( '<br>', $texts ) . implode( '', array_map( array( __CLASS__, 'list_block' ), $lists ) );
		return self::block( 'list-item', "<li>$inner</li>" );
	}

	/**
	 * The texts of an item or a cell, one for each paragraph: breaks part them, as it has one text.
	 *
	 * @param Copydesk_Node[]|null $lists Gets the lists inside; null to take their texts as well.
	 * @return string[]
	 */
	private static function lines( array $children, ?array &$lists ): array {
		$lines   = array();
		$running = array();
		foreach ( $children as $child ) {
			if ( is_string( $child ) || in_array( $child->tag, Copydesk_Html::INLINE, true ) || 'br' === $child->tag || '#comment' === $child->tag ) {
				$running[] = $child;
			} elseif ( null !== $lists && in_array( $child->tag, array( 'ul', 'ol' ), true ) ) {
				if ( '' !== trim( $child->text() ) ) {
					$lists[] = $child;
				}
			} else {
				array_push( $lines, Copydesk_Html::write( $running ), ...self::lines( $child->children, $lists ) );
				$running = array();
			}
		}
		$lines[] = Copydesk_Html::write( $running );
		return $lines;
	}

	private static function table( Copydesk_Node $node ): string {
		// The editor knows one of each part, and no rows outside of them.
		$rows = array( 'thead' => '', 'tbody' => '', 'tfoot' => '' );
		foreach ( $node->children as $part ) {
			if ( $part instanceof Copydesk_Node && 'tr' === $part->tag ) {
				$rows['tbody'] .= self::rows( array( $part ) );
			} elseif ( $part instanceof Copydesk_Node && isset( $rows[ $part->tag ] ) ) {
				$rows[ $part->tag ] .= self::rows( $part->children );
			}
		}
		$parts = '';
		foreach ( array_filter( $rows ) as $name => $html ) {
			$parts .= "<$name>$html</$name>";
		}
		// Columns as wide as their texts; a wide table scrolls.
		return self::block( 'table', "<figure class=\"wp-block-table\"><table>$parts</table></figure>", array( 'hasFixedLayout' => false ) );
	}

	/** Rows as HTML, without those that have no cells. */
	private static function rows( array $rows ): string {
		$html = '';
		foreach ( $rows as $row ) {
			$cells = '';
			foreach ( $row instanceof Copydesk_Node ? $row->children : array() as $cell ) {
				if ( $cell instanceof Copydesk_Node ) {
					$none   = null;
					$lines  = array_filter( self::lines( $cell->children, $none ), 'strlen' );
					$cells .= "<{$cell->tag}>" . implode( '<br>', $lines ) . "</{$cell->tag}>";
				}
			}
			$html .= '' === $cells ? '' : "<tr>$cells</tr>";
		}
		return $html;
	}

	private static function code( Copydesk_Node $node ): string {
		$shown = array();
		foreach ( $node->children as $child ) {
			if ( ! is_string( $child ) || '' !== trim( $child ) ) {
				$shown[] = $child;
			}
		}
		if ( 1 === count( $shown ) && $shown[0] instanceof Copydesk_Node && 'code' === $shown[0]->tag ) {
			$code = Copydesk_Html::write( $shown[0]->children );
			return self::block( 'code', "<pre class=\"wp-block-code\"><code>$code</code></pre>" );
		}
		$text = Copydesk_Html::write( $node->children );
		return self::block( 'preformatted', "<pre class=\"wp-block-preformatted\">$text</pre>" );
	}
}
