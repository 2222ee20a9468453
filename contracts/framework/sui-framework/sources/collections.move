module sui::vec_map {
    public struct VecMap<K: copy, V> has copy, drop, store { contents: vector<Entry<K, V>> }

    public struct Entry<K: copy, V> has copy, drop, store { key: K, value: V }

    const EKeyAlreadyExists: u64 = 0;
    const EKeyDoesNotExist: u64 = 1;

    public fun empty<K: copy, V>(): VecMap<K, V> { VecMap { contents: vector[] } }

    public fun insert<K: copy, V>(self: &mut VecMap<K, V>, key: K, value: V) {
        assert!(!self.contains(&key), EKeyAlreadyExists);
        self.contents.push_back(Entry { key, value })
    }

    public fun remove<K: copy, V>(self: &mut VecMap<K, V>, key: &K): (K, V) {
        let i = self.index_of(key);
        assert!(i < self.contents.length(), EKeyDoesNotExist);
        let Entry { key, value } = self.contents.remove(i);
        (key, value)
    }

    public fun contains<K: copy, V>(self: &VecMap<K, V>, key: &K): bool {
        self.index_of(key) < self.contents.length()
    }

    public fun get<K: copy, V>(self: &VecMap<K, V>, key: &K): &V {
        let i = self.index_of(key);
        assert!(i < self.contents.length(), EKeyDoesNotExist);
        &self.contents[i].value
    }

    public fun get_mut<K: copy, V>(self: &mut VecMap<K, V>, key: &K): &mut V {
        let i = self.index_of(key);
        assert!(i < self.contents.length(), EKeyDoesNotExist);
        &mut self.contents[i].value
    }

    /// Returns the length when the key does not exist.
    fun index_of<K: copy, V>(self: &VecMap<K, V>, key: &K): u64 {
        let mut i = 0;
        while (i < self.contents.length() && &self.contents[i].key != key) i = i + 1;
        i
    }
}

module sui::table {
    use sui::dynamic_field;
    use sui::object::UID;
    use sui::tx_context::TxContext;

    public struct Table<phantom K: copy + drop + store, phantom V: store> has key, store {
        id: UID,
        size: u64,
    }

    public fun new<K: copy + drop + store, V: store>(ctx: &mut TxContext): Table<K, V> {
        Table { id: sui::object::new(ctx), size: 0 }
    }

    public fun add<K: copy + drop + store, V: store>(table: &mut Table<K, V>, k: K, v: V) {
        dynamic_field::add(&mut table.id, k, v);
        table.size = table.size + 1;
    }

    public fun contains<K: copy + drop + store, V: store>(table: &Table<K, V>, k: K): bool {
        dynamic_field::exists_with_type<K, V>(&table.id, k)
    }

    #[syntax(index)]
    public fun borrow<K: copy + drop + store, V: store>(table: &Table<K, V>, k: K): &V {
        dynamic_field::borrow(&table.id, k)
    }
}
