module sui::clock {
    use sui::object::UID;

    public struct Clock has key { id: UID, timestamp_ms: u64 }

    public fun timestamp_ms(clock: &Clock): u64 { clock.timestamp_ms }

    #[test_only]
    public fun create_for_testing(ctx: &mut sui::tx_context::TxContext): Clock {
        Clock { id: sui::object::new(ctx), timestamp_ms: 0 }
    }

    #[test_only]
    public fun set_for_testing(clock: &mut Clock, timestamp_ms: u64) { clock.timestamp_ms = timestamp_ms }
}

module sui::event {
    public native fun emit<T: copy + drop>(event: T);

    #[test_only]
    public native fun num_events(): u32;

    #[test_only]
    public native fun events_by_type<T: copy + drop>(): vector<T>;
}

module sui::hash {
    public native fun blake2b256(data: &vector<u8>): vector<u8>;
}

module sui::ed25519 {
    public native fun ed25519_verify(signature: &vector<u8>, public_key: &vector<u8>, msg: &vector<u8>): bool;
}
