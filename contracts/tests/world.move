/// Setup for the tests of this package. Ids are derived as on chain, with the sender's address as the transaction's
/// digest, so that `src/scenarios/cast.ts` knows them.
#[test_only]
module memrelay::world;

use memrelay::account::{Self, Registry};
use sui::clock::{Self, Clock};
use sui::event;
use sui::tx_context;

const EUnexpectedBytes: u64 = 1;
const EUnexpectedEvents: u64 = 2;

public fun begin(): (Registry, Clock) {
    let mut genesis = sent_by(@0x0);
    (account::new_registry_for_testing(&mut genesis), clock::create_for_testing(&mut sent_by(@0x6)))
}

public fun sent_by(sender: address): TxContext {
    tx_context::new(sender, std::bcs::to_bytes(&sender), 0, 0, 0)
}

public fun end(registry: Registry, clock: Clock) {
    std::unit_test::destroy(registry);
    std::unit_test::destroy(clock);
}

public fun check<T>(value: &T, expected: vector<u8>) {
    assert!(std::bcs::to_bytes(value) == expected, EUnexpectedBytes)
}

/// The number of events since the beginning of the test.
public fun check_events(expected: u32) {
    assert!(event::num_events() == expected, EUnexpectedEvents)
}
