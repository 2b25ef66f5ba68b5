<?php
/**
 * HTML of a feed as a tree of known elements.
 *
 * Nothing of the source but text and checked attributes gets into the tree, so what is written from
 * it holds no script, no handler, no comment and no unbalanced tag, whatever the source says. No
 * extension of PHP is needed: WordPress runs without DOM, and its own HTML parser came with 6.4.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/** An element. Its children are elements and plain texts; the tag '#comment' has one text. */
final class Copydesk_Node {
	/** @var string */
	public $tag;

	/** @var array<string,string> */
	public $attributes;

	/** @var array<int,Copydesk_Node|string> */
	public $children;

	public function __construct( string $tag, array $attributes = array(), array $children = array() ) {
		$this->tag        = $tag;
		$this->attributes = $attributes;
		$this->children   = $children;
	}

	/** The text of the element, without markup. */
	public function text(): string {
		$text = '';
		foreach ( $this->children as $child ) {
			if ( is_string( $child ) ) {
				$text .= $child;
			} elseif ( '#comment' !== $child->tag ) {
				$text .= 'br' === $child->tag ? ' ' : $child->text();
			}
		}
		return $text;
	}
}

/** Reads HTML into nodes and writes them. */
final class Copydesk_Html {
	/** Bytes. A post of the service has about 20,000. */
	const LONGEST = 1000000;

	/** Elements, which take most of the memory: about 200 bytes each. */
	const MOST_ELEMENTS = 20000;

	/** How many elements can be open at once; those deeper inside keep only their text. */
	const DEEPEST = 30;

	/** How many levels a container leaves for an item or cell, a paragraph and styles in it. */
	const ROOM = 5;

	const LONGEST_URL = 2000;

	const INLINE = array( 'a', 'b', 'code', 'em', 'i', 's', 'strong', 'sub', 'sup' );
	const TEXTS  = array( 'p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'pre' );

	private const CONTAINERS  = array( 'ul', 'ol', 'blockquote', 'table', 'div' );
	private const TABLE_PARTS = array( 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th' );

	private const KNOWN = array( 'a', 'b', 'blockquote', 'br', 'code', 'div', 'em', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'i', 'li', 'ol', 'p', 'pre', 's', 'strong', 'sub', 'sup', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr', 'ul' );

	/** Where a style ends at the latest. */
	private const NOT_INLINE = array( 'blockquote', 'div', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'li', 'ol', 'p', 'pre', 'table', 'td', 'th', 'ul' );

	/** Other elements that end a line. */
	private const DIVISIONS = array( 'address', 'article', 'aside', 'caption', 'center', 'dd', 'details', 'dir', 'div', 'dl', 'dt', 'fieldset', 'figcaption', 'figure', 'footer', 'form', 'header', 'legend', 'main', 'menu', 'nav', 'option', 'section', 'summary' );

	/** What readers never see as text: up to its end tag it is no HTML. */
	private const RAW = array( 'iframe', 'noembed', 'noframes', 'noscript', 'plaintext', 'script', 'style', 'textarea', 'title', 'xmp' );

	/** Left out with everything inside. */
	private const LEFT_OUT = array( 'applet', 'audio', 'canvas', 'head', 'math', 'object', 'select', 'svg', 'template', 'video' );

	private const SPACE = " \t\r\n\f";

	/** @var Copydesk_Node[] The open elements, the root first. */
	private $open;

	/** @var int */
	private $elements = 0;

	private function __construct() {
		$this->open = array( new Copydesk_Node( '#root' ) );
	}

	/**
	 * The tree of a text in HTML.
	 *
	 * @param string $html HTML in UTF-8.
	 * @return Copydesk_Node|WP_Error The root, or copydesk_bad_item for a text that is no post.
	 */
	public static function parse( string $html ) {
		if ( strlen( $html ) > self::LONGEST ) {
			/* translators: %s: a number of bytes. */
			return self::error( sprintf( __( 'The text of the post is longer than %s bytes.', 'copydesk' ), number_format_i18n( self::LONGEST ) ) );
		}
		if ( 1 !== preg_match( '//u', $html ) ) {
			return self::error( __( 'The text of the post is not UTF-8.', 'copydesk' ) );
		}
		$reader = new self();
		if ( ! $reader->read( $html ) ) {
			/* translators: %s: a number of elements. */
			return self::error( sprintf( __( 'The text of the post has more than %s HTML elements.', 'copydesk' ), number_format_i18n( self::MOST_ELEMENTS ) ) );
		}
		return $reader->open[0];
	}

	/** Elements and texts as HTML, without white space around them. */
	public static function write( array $children ): string {
		$html = '';
		foreach ( $children as $child ) {
			$html .= is_string( $child ) ? self::escape( $child ) : self::write_element( $child );
		}
		return trim( $html, " \t\r\n\f\v" );
	}

	/** Text as HTML in which WordPress finds no shortcode. */
	public static function escape( string $text ): string {
		return str_replace( array( '&', '<', '>', '[' ), array( '&amp;', '&lt;', '&gt;', '&#91;' ), $text );
	}

	/** An address that a link may have, or '' for one that it may not. */
	public static function safe_url( string $url ): string {
		$url = self::clean( trim( $url ) );
		if ( strlen( $url ) > self::LONGEST_URL || ! preg_match( '~^https?://[^\s/?#@]+(?:[/?#]|$)~iD', $url ) ) {
			return '';
		}
		$unsafe = array( ' ' => '%20', "\t" => '', "\n" => '', "\r" => '', '"' => '%22', "'" => '%27', '<' => '%3C', '>' => '%3E', '\\' => '%5C', '`' => '%60' );
		return strtr( $url, $unsafe );
	}

	/** Text without control characters and other code points that no page shows. */
	public static function clean( string $text ): string {
		return (string) preg_replace( '/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xEF\xBF[\xBE\xBF]/', '', $text );
	}

	/**
	 * A text as a column can store it: old tables hold three bytes a character, so what takes four,
	 * such as an emoji, becomes a reference. WordPress does so itself, but asks for the charset "utf8"
	 * alone, and newer databases say "utf8mb3".
	 */
	public static function storable( string $text, string $table, string $column ): string {
		global $wpdb;
		$charset = $wpdb->get_col_charset( $table, $column );
		if ( ! is_string( $charset ) || 'utf8mb4' === $charset ) {
			return $text;
		}
		$reference = static function ( array $sign ): string {
			list( $a, $b, $c, $d ) = array_map( 'ord', str_split( $sign[0] ) );
			return sprintf( '&#x%x;', ( $a & 7 ) << 18 | ( $b & 63 ) << 12 | ( $c & 63 ) << 6 | ( $d & 63 ) );
		};
		return (string) preg_replace_callback( '/[\x{10000}-\x{10FFFF}]/u', $reference, $text );
	}

	private static function write_element( Copydesk_Node $node ): string {
		if ( '#comment' === $node->tag ) {
			return '<!-- ' . $node->children[0] . ' -->';
		}
		if ( in_array( $node->tag, array( 'br', 'hr' ), true ) ) {
			return "<{$node->tag}>";
		}
		$inner = '';
		foreach ( $node->children as $child ) {
			$inner .= is_string( $child ) ? self::escape( $child ) : self::write_element( $child );
		}
		if ( '' === trim( $inner ) && ! in_array( $node->tag, array( 'td', 'th' ), true ) ) {
			return $inner; // An empty element shows as a gap.
		}
		$attributes = '';
		foreach ( $node->attributes as $name => $value ) {
			$attributes .= sprintf( ' %s="%s"', $name, str_replace( '"', '&quot;', self::escape( $value ) ) );
		}
		return "<{$node->tag}$attributes>$inner</{$node->tag}>";
	}

	private static function error( string $sentence ): WP_Error {
		return new WP_Error( 'copydesk_bad_item', $sentence );
	}

	/** Read a text in one pass; false where it has too many elements. */
	private function read( string $html ): bool {
		// Once for all: searches that ignore case would copy the text each time.
		$lower    = strtolower( $html );
		$end      = strlen( $html );
		$left_out = '';
		$depth    = 0;
		for ( $at = 0; $at < $end; ) {
			$tag = strpos( $html, '<', $at );
			$tag = false === $tag ? $end : $tag;
			if ( $tag > $at && '' === $left_out ) {
				$this->add_text( substr( $html, $at, $tag - $at ) );
			}
			if ( $tag === $end ) {
				break;
			}
			$is_end = '/' === ( $html[ $tag + 1 ] ?? '' );
			$name   = $tag + ( $is_end ? 2 : 1 );
			if ( ! ctype_alpha( $html[ $name ] ?? '' ) ) {
				$at = $this->after_no_tag( $html, $tag, $is_end, '' === $left_out );
				continue;
			}
			$length     = strcspn( $html, self::SPACE . '/>', $name );
			$element    = substr( $lower, $name, min( $length, 20 ) );
			$attributes = array();
			$at         = self::after_tag( $html, $lower, $name + $length, $attributes );
			if ( ! $is_end && in_array( $element, self::RAW, true ) ) {
				$closing = strpos( $lower, "</$element", $at );
				$at      = false === $closing ? $end : $closing;
			} elseif ( '' !== $left_out ) {
				$depth += $element === $left_out ? ( $is_end ? -1 : 1 ) : 0;
				if ( 0 === $depth ) {
					$left_out = '';
				}
			} elseif ( ! $is_end && in_array( $element, self::LEFT_OUT, true ) ) {
				$left_out = $element;
				$depth    = 1;
			} elseif ( $is_end ) {
				$this->end( $this->known( $element ) );
			} else {
				$this->start( $this->known( $element ), $attributes );
			}
			if ( $this->elements > self::MOST_ELEMENTS ) {
				return false;
			}
		}
		return true;
	}

	/** Where the text goes on after "<" that begins no tag: a comment, a declaration or a text. */
	private function after_no_tag( string $html, int $tag, bool $is_end, bool $is_shown ): int {
		if ( '<!--' === substr( $html, $tag, 4 ) ) {
			$length = strspn( $html, '-', $tag + 4 );
			if ( '>' === ( $html[ $tag + 4 + $length ] ?? '' ) ) {
				return $tag + 5 + $length;
			}
			$close = strpos( $html, '-->', $tag + 4 );
			return false === $close ? strlen( $html ) : $close + 3;
		}
		if ( $is_end || in_array( $html[ $tag + 1 ] ?? '', array( '!', '?' ), true ) ) {
			$close = strpos( $html, '>', $tag );
			return false === $close ? strlen( $html ) : $close + 1;
		}
		if ( $is_shown ) {
			$this->add_text( '<' );
		}
		return $tag + 1;
	}

	/** Where the text goes on after a tag; its known attributes, as they are written there. */
	private static function after_tag( string $html, string $lower, int $at, array &$attributes ): int {
		$end = strlen( $html );
		while ( true ) {
			$at += strspn( $html, self::SPACE . '/', $at );
			if ( $at >= $end ) {
				return $end;
			}
			if ( '>' === $html[ $at ] ) {
				return $at + 1;
			}
			$length = max( 1, strcspn( $html, self::SPACE . '/>=', $at ) );
			$name   = substr( $lower, $at, min( $length, 20 ) );
			$at    += $length;
			$at    += strspn( $html, self::SPACE, $at );
			$value  = '';
			if ( '=' === ( $html[ $at ] ?? '' ) ) {
				$at   += 1 + strspn( $html, self::SPACE, $at + 1 );
				$quote = $html[ $at ] ?? '';
				if ( '"' === $quote || "'" === $quote ) {
					$close = strpos( $html, $quote, $at + 1 );
					if ( false === $close ) {
						return $end;
					}
					$value = substr( $html, $at + 1, $close - $at - 1 );
					$at    = $close + 1;
				} else {
					$length = strcspn( $html, self::SPACE . '>', $at );
					$value  = substr( $html, $at, $length );
					$at    += $length;
				}
			}
			if ( in_array( $name, array( 'href', 'rel', 'target', 'start' ), true ) && ! isset( $attributes[ $name ] ) ) {
				$attributes[ $name ] = html_entity_decode( (string) $value, ENT_QUOTES | ENT_HTML5, 'UTF-8' );
			}
		}
	}

	/** The element that stands for one of the source; '' for one of which only the text counts. */
	private function known( string $element ): string {
		if ( in_array( $element, self::DIVISIONS, true ) ) {
			return 'div';
		}
		if ( in_array( $element, array( 'del', 'strike' ), true ) ) {
			return 's';
		}
		return in_array( $element, self::KNOWN, true ) ? $element : '';
	}

	private function start( string $tag, array $attributes ): void {
		if ( '' === $tag ) {
			return;
		}
		if ( 'br' === $tag ) {
			$this->prepare();
			$this->append( new Copydesk_Node( 'br' ) );
			return;
		}
		if ( in_array( $tag, self::INLINE, true ) ) {
			if ( 'a' === $tag ) {
				$this->close( array( 'a' ), self::NOT_INLINE );
			}
			$kept = 'a' === $tag ? self::link( $attributes ) : array();
			$this->prepare();
			if ( count( $this->open ) < self::DEEPEST && ( 'a' !== $tag || $kept ) ) {
				$this->push( $tag, $kept );
			}
			return;
		}
		$this->leave_text();
		if ( 'li' === $tag ) {
			$this->close( array( 'li' ), array( 'ul', 'ol', 'td', 'th' ) );
			$tag = $this->is_in( array( 'ul', 'ol' ) ) ? $tag : 'div';
		} elseif ( in_array( $tag, array( 'td', 'th' ), true ) ) {
			$this->close( array( 'td', 'th' ), array( 'tr', 'table' ) );
			if ( $this->is_in( array( 'table', 'thead', 'tbody', 'tfoot' ) ) ) {
				$this->push( 'tr' );
			}
			$tag = $this->is_in( array( 'tr' ) ) ? $tag : 'div';
		} elseif ( 'tr' === $tag ) {
			$this->close( array( 'tr' ), array( 'table' ) );
			$tag = $this->is_in( array( 'table', 'thead', 'tbody', 'tfoot' ) ) ? $tag : 'div';
		} elseif ( in_array( $tag, self::TABLE_PARTS, true ) ) {
			$this->close( array( 'thead', 'tbody', 'tfoot' ), array( 'table' ) );
			$this->close( array( 'tr' ), array( 'table' ) );
			$tag = $this->is_in( array( 'table' ) ) ? $tag : 'div';
		}
		if ( 'li' !== $tag && ! in_array( $tag, self::TABLE_PARTS, true ) ) {
			$this->prepare();
		}
		if ( 'hr' === $tag ) {
			$this->append( new Copydesk_Node( 'hr' ) );
			return;
		}
		if ( in_array( $tag, self::CONTAINERS, true ) && count( $this->open ) >= self::DEEPEST - self::ROOM ) {
			$this->add_text( ' ' );
			return;
		}
		$this->push( $tag, 'ol' === $tag ? self::first_number( $attributes ) : array() );
	}

	private function end( string $tag ): void {
		if ( '' === $tag || 'br' === $tag || 'hr' === $tag ) {
			return;
		}
		if ( in_array( $tag, self::INLINE, true ) ) {
			$this->close( array( $tag ), self::NOT_INLINE );
		} elseif ( 'li' === $tag ) {
			$this->close( array( 'li' ), array( 'ul', 'ol', 'td', 'th' ) );
		} elseif ( 'table' === $tag ) {
			$this->close( array( 'table' ), array() );
		} elseif ( in_array( $tag, self::TABLE_PARTS, true ) ) {
			$this->close( array( $tag ), array( 'table' ) );
		} else {
			$this->close( array( $tag ), array( 'td', 'th' ) );
		}
	}

	private function add_text( string $source ): void {
		$text = self::clean( html_entity_decode( $source, ENT_QUOTES | ENT_HTML5, 'UTF-8' ) );
		if ( '' === $text ) {
			return;
		}
		if ( '' === trim( $text ) && $this->is_in( array( 'ul', 'ol', 'table', 'thead', 'tbody', 'tfoot', 'tr' ) ) ) {
			return;
		}
		$this->prepare();
		$in   = end( $this->open );
		$last = count( $in->children ) - 1;
		if ( $last >= 0 && is_string( $in->children[ $last ] ) ) {
			$in->children[ $last ] .= $text;
		} else {
			$in->children[] = $text;
		}
	}

	/** Open the item or cell that a text or an element in a list or a table needs. */
	private function prepare(): void {
		if ( $this->is_in( array( 'ul', 'ol' ) ) ) {
			$this->push( 'li' );
		}
		if ( $this->is_in( array( 'table', 'thead', 'tbody', 'tfoot' ) ) ) {
			$this->push( 'tr' );
		}
		if ( $this->is_in( array( 'tr' ) ) ) {
			$this->push( 'td' );
		}
	}

	/** Close styles and what holds nothing but text, as each block begins outside of them. */
	private function leave_text(): void {
		while ( $this->is_in( self::INLINE ) || $this->is_in( self::TEXTS ) ) {
			array_pop( $this->open );
		}
	}

	/** Close the innermost of some elements with all inside, unless a limit is further inside. */
	private function close( array $tags, array $limits ): void {
		for ( $at = count( $this->open ) - 1; $at > 0; $at-- ) {
			if ( in_array( $this->open[ $at ]->tag, $tags, true ) ) {
				array_splice( $this->open, $at );
				return;
			}
			if ( in_array( $this->open[ $at ]->tag, $limits, true ) ) {
				return;
			}
		}
	}

	private function is_in( array $tags ): bool {
		return in_array( end( $this->open )->tag, $tags, true );
	}

	private function push( string $tag, array $attributes = array() ): void {
		$node = new Copydesk_Node( $tag, $attributes );
		$this->append( $node );
		$this->open[] = $node;
	}

	private function append( Copydesk_Node $node ): void {
		end( $this->open )->children[] = $node;
		++$this->elements;
	}

	/** The attributes that a link keeps. */
	private static function link( array $attributes ): array {
		$url = self::safe_url( $attributes['href'] ?? '' );
		if ( '' === $url ) {
			return array();
		}
		$kept  = array( 'href' => $url );
		$words = preg_split( '/\s+/', strtolower( substr( $attributes['rel'] ?? '', 0, 200 ) ) );
		$rel   = array_unique( array_intersect( $words, array( 'sponsored', 'nofollow', 'ugc', 'noopener', 'noreferrer', 'external' ) ) );
		$blank = '_blank' === strtolower( $attributes['target'] ?? '' );
		if ( $blank && ! in_array( 'noopener', $rel, true ) ) {
			$rel[] = 'noopener';
		}
		return $kept + ( $rel ? array( 'rel' => implode( ' ', $rel ) ) : array() ) + ( $blank ? array( 'target' => '_blank' ) : array() );
	}

	/** The number that a list begins with, where it is not 1. */
	private static function first_number( array $attributes ): array {
		$start = $attributes['start'] ?? '';
		return ctype_digit( $start ) && strlen( $start ) < 10 && 1 !== (int) $start ? array( 'start' => (string) (int) $start ) : array();
	}
}
