<?php
/**
 * When the next post appears: at the times of day of the owner, in the site's own time zone.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

final class Copydesk_Calendar {
	/**
	 * The first free slot after now, as a UTC timestamp.
	 *
	 * A time that a day lacks because clocks go forward is an hour later; one that a day has twice is
	 * one of both. A slot is taken by a post that appears between its time and the longest random
	 * delay after it; posts of other times of day do not count as posts of that day.
	 *
	 * @param array $schedule  days (1 Monday … 7 Sunday), times ("HH:MM"), per_day (at most so many
	 *                         posts), jitter (at most so many minutes of random delay).
	 * @param int[] $taken_utc When other posts appear.
	 * @param int   $now       A UTC timestamp.
	 */
	public static function next( array $schedule, array $taken_utc, int $now ): int {
		$zone    = wp_timezone();
		$days    = array_map( 'intval', (array) ( $schedule['days'] ?? array() ) );
		$days    = array_intersect( $days, range( 1, 7 ) );
		$days    = $days ? $days : range( 1, 7 );
		$times   = preg_grep( '/^([01]\d|2[0-3]):[0-5]\d$/', (array) ( $schedule['times'] ?? array() ) );
		$times   = $times ? array_unique( $times ) : array( '09:00' );
		$per_day = max( 1, (int) ( $schedule['per_day'] ?? 1 ) );
		$jitter  = max( 0, (int) ( $schedule['jitter'] ?? 0 ) ) * MINUTE_IN_SECONDS;
		sort( $times );
		sort( $taken_utc );
		// By day, so that a long backlog is not read once for each day.
		$taken = array();
		foreach ( $taken_utc as $at ) {
			// A delay may end after midnight: such a post counts on both days.
			foreach ( array_unique( array( self::day( $at, $zone ), self::day( $at - $jitter, $zone ) ) ) as $day ) {
				$taken[ $day ][] = $at;
			}
		}
		$noon = ( new DateTimeImmutable( '@' . $now ) )->setTimezone( $zone )->setTime( 12, 0 );
		// Every week has a day; each post that is there takes one slot at most.
		for ( $n = 0, $most = 7 * ( count( $taken_utc ) + 3 ); $n < $most; $n++ ) {
			$day = $noon->modify( "+$n days" );
			if ( ! in_array( (int) $day->format( 'N' ), $days, true ) ) {
				continue;
			}
			$free = self::free_slots( $day, $times, $taken[ $day->format( 'Y-m-d' ) ] ?? array(), $jitter, $per_day );
			foreach ( $free as $slot ) {
				if ( $slot > $now ) {
					return $slot + ( $jitter ? wp_rand( 0, $jitter ) : 0 );
				}
			}
		}
		return $now + DAY_IN_SECONDS;
	}

	/**
	 * The slots of a day that may still be given away.
	 *
	 * @return int[]
	 */
	private static function free_slots( DateTimeImmutable $day, array $times, array $taken, int $jitter, int $per_day ): array {
		$free = array();
		foreach ( $times as $time ) {
			$free[] = ( new DateTimeImmutable( $day->format( 'Y-m-d' ) . ' ' . $time, $day->getTimezone() ) )->getTimestamp();
		}
		$free = array_values( array_unique( $free ) );
		$used = 0;
		foreach ( $taken as $at ) {
			foreach ( $free as $key => $slot ) {
				if ( $slot <= $at && $at <= $slot + $jitter ) {
					unset( $free[ $key ] );
					++$used;
					break;
				}
			}
		}
		return $used < $per_day ? $free : array();
	}

	private static function day( int $at, DateTimeZone $zone ): string {
		return ( new DateTimeImmutable( '@' . $at ) )->setTimezone( $zone )->format( 'Y-m-d' );
	}
}
