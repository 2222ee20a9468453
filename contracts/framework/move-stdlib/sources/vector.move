#[defines_primitive(vector)]
module std::vector;

#[bytecode_instruction]
public native fun empty<Element>(): vector<Element>;
#[bytecode_instruction]
public native fun length<Element>(v: &vector<Element>): u64;
#[bytecode_instruction, syntax(index)]
public native fun borrow<Element>(v: &vector<Element>, i: u64): &Element;
#[bytecode_instruction, syntax(index)]
public native fun borrow_mut<Element>(v: &mut vector<Element>, i: u64): &mut Element;
#[bytecode_instruction]
public native fun push_back<Element>(v: &mut vector<Element>, e: Element);
#[bytecode_instruction]
public native fun pop_back<Element>(v: &mut vector<Element>): Element;
#[bytecode_instruction]
public native fun destroy_empty<Element>(v: vector<Element>);
#[bytecode_instruction]
public native fun swap<Element>(v: &mut vector<Element>, i: u64, j: u64);

public fun is_empty<Element>(v: &vector<Element>): bool {
    v.length() == 0
}

public fun contains<Element>(v: &vector<Element>, e: &Element): bool {
    let mut i = 0;
    while (i < v.length()) {
        if (&v[i] == e) return true;
        i = i + 1;
    };
    false
}

public fun append<Element>(v: &mut vector<Element>, mut other: vector<Element>) {
    let mut i = 0;
    while (i < other.length() / 2) {
        let opposite = other.length() - 1 - i;
        other.swap(i, opposite);
        i = i + 1;
    };
    while (!other.is_empty()) v.push_back(other.pop_back());
    other.destroy_empty()
}

/// Removes element `i` and keeps the order of the rest.
public fun remove<Element>(v: &mut vector<Element>, mut i: u64): Element {
    let last = v.length() - 1;
    while (i < last) {
        v.swap(i, i + 1);
        i = i + 1;
    };
    v.pop_back()
}
