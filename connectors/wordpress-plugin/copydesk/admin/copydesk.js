/* Makes the pages of Copydesk quicker to use. They work without it. */
( function () {
	'use strict';

	const words = window.copydeskWords;

	/** Ask before what cannot be undone. */
	function askFirst( event ) {
		const button = event.submitter;
		if ( ! button || ! event.target.classList.contains( 'copydesk-list' ) ) {
			return;
		}
		let question = words[ button.dataset.copydeskAsk ];
		if ( [ 'doaction', 'doaction2' ].includes( button.id ) ) {
			const chosen = [ ...event.target.querySelectorAll( 'select[name^="action"]' ) ]
				.map( ( select ) => select.value )
				.find( ( value ) => value !== '-1' );
			question = [ 'reject', 'never' ].includes( chosen ) ? words.bulk : '';
		}
		if ( question && ! window.confirm( question ) ) {
			event.preventDefault();
		}
	}

	/** A run takes up to 20 seconds: show that it was begun, and begin it once. */
	function showRunning( event ) {
		const button = event.submitter;
		if ( ! button || button.name !== 'copydesk_run' ) {
			return;
		}
		if ( button.getAttribute( 'aria-disabled' ) ) {
			event.preventDefault();
			return;
		}
		button.setAttribute( 'aria-disabled', 'true' );
		button.textContent = words.running;
		window.wp.a11y.speak( words.running );
	}

	/** The empty route becomes a pattern for as many as are needed. */
	function offerRoutes( list ) {
		const pattern = list.querySelector( '[data-copydesk-route="new"]' );
		const add = document.createElement( 'button' );
		let number = list.children.length;
		pattern.remove();
		add.type = 'button';
		add.className = 'button';
		add.textContent = words.add;
		add.addEventListener( 'click', () => {
			const route = pattern.cloneNode( true );
			for ( const one of route.querySelectorAll( '[name], [id], [for], [aria-describedby]' ) ) {
				for ( const name of [ 'name', 'id', 'for', 'aria-describedby' ] ) {
					const value = one.getAttribute( name );
					if ( value ) {
						one.setAttribute( name, value.replace( /(\[|-)new(\]|-)/, `$1added${ number }$2` ) );
					}
				}
			}
			route.querySelector( '[name$="[position]"]' ).value = list.children.length + 1;
			number += 1;
			list.append( route );
			route.querySelector( 'select, input:not([type="hidden"])' ).focus();
			window.wp.a11y.speak( words.added );
		} );
		list.after( add );
	}

	document.addEventListener( 'submit', askFirst );
	document.addEventListener( 'submit', showRunning );
	document.querySelectorAll( '.copydesk-routes' ).forEach( offerRoutes );
}() );
