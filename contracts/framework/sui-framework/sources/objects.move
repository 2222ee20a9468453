module sui::address {
    public native fun from_bytes(bytes: vector<u8>): address;
}

module sui::tx_context {
    public struct TxContext has drop {
        sender: address,
        tx_hash: vector<u8>,
        epoch: u64,
        epoch_timestamp_ms: u64,
        ids_created: u64,
    }

    public fun sender(self: &TxContext): address { self.sender }

    public fun fresh_object_address(self: &mut TxContext): address {
        let ids_created = self.ids_created;
        self.ids_created = ids_created + 1;
        derive_id(self.tx_hash, ids_created)
    }

    native fun derive_id(tx_hash: vector<u8>, ids_created: u64): address;

    #[test_only]
    public fun new(
        sender: address,
        tx_hash: vector<u8>,
        epoch: u64,
        epoch_timestamp_ms: u64,
        ids_created: u64,
    ): TxContext {
        TxContext { sender, tx_hash, epoch, epoch_timestamp_ms, ids_created }
    }
}

module sui::object {
    use sui::tx_context::TxContext;

    public struct ID has copy, drop, store { bytes: address }

    public struct UID has store { id: ID }

    public fun new(ctx: &mut TxContext): UID { UID { id: ID { bytes: ctx.fresh_object_address() } } }

    public fun delete(id: UID) { let UID { id: _ } = id; }

    public fun uid_to_inner(uid: &UID): ID { uid.id }

    public fun uid_to_address(uid: &UID): address { uid.id.bytes }

    public fun id_to_address(id: &ID): address { id.bytes }

    // The verifier knows this function by its name: a UID created in any other way is rejected.
    public(package) fun new_uid_from_hash(bytes: address): UID { UID { id: ID { bytes } } }
}

module sui::transfer {
    public fun share_object<T: key>(obj: T) { share_object_impl(obj) }

    native fun share_object_impl<T: key>(obj: T);
}

module sui::dynamic_field {
    use sui::object::UID;

    public struct Field<Name: copy + drop + store, Value: store> has key {
        id: UID,
        name: Name,
        value: Value,
    }

    public fun add<Name: copy + drop + store, Value: store>(object: &mut UID, name: Name, value: Value) {
        let parent = object.uid_to_address();
        let id = sui::object::new_uid_from_hash(hash_type_and_key(parent, name));
        add_child_object(parent, Field { id, name, value })
    }

    public fun exists_with_type<Name: copy + drop + store, Value: store>(object: &UID, name: Name): bool {
        let parent = object.uid_to_address();
        has_child_object_with_ty<Field<Name, Value>>(parent, hash_type_and_key(parent, name))
    }

    public fun borrow<Name: copy + drop + store, Value: store>(object: &UID, name: Name): &Value {
        let id = hash_type_and_key(object.uid_to_address(), name);
        &borrow_child_object<Field<Name, Value>>(object, id).value
    }

    native fun hash_type_and_key<K: copy + drop + store>(parent: address, k: K): address;
    native fun add_child_object<Child: key>(parent: address, child: Child);
    native fun borrow_child_object<Child: key>(object: &UID, id: address): &Child;
    native fun has_child_object_with_ty<Child: key>(parent: address, id: address): bool;
}
