module std::bcs {
    public native fun to_bytes<MoveValue>(v: &MoveValue): vector<u8>;
}

module std::option {
    public struct Option<Element> has copy, drop, store { vec: vector<Element> }

    public fun none<Element>(): Option<Element> { Option { vec: vector[] } }

    public fun some<Element>(e: Element): Option<Element> { Option { vec: vector[e] } }

    public fun is_some<Element>(self: &Option<Element>): bool { !self.vec.is_empty() }

    public fun contains<Element>(self: &Option<Element>, e: &Element): bool { self.vec.contains(e) }

    public fun extract<Element>(self: &mut Option<Element>): Element { self.vec.pop_back() }
}

module std::string {
    public struct String has copy, drop, store { bytes: vector<u8> }

    const EInvalidUtf8: u64 = 1;

    public fun utf8(bytes: vector<u8>): String {
        assert!(internal_check_utf8(&bytes), EInvalidUtf8);
        String { bytes }
    }

    public fun as_bytes(s: &String): &vector<u8> { &s.bytes }

    native fun internal_check_utf8(v: &vector<u8>): bool;
}

module std::ascii {
    public struct String has copy, drop, store { bytes: vector<u8> }
}

module std::unit_test {
    #[test_only]
    public native fun poison();

    #[test_only]
    public native fun destroy<T>(x: T);
}
