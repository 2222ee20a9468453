import type { AnyBcs, NativeFunction, NativeModule } from './native.ts';
import { normalizeType, splitStructTag } from './type-tags.ts';

/** Every native module of the network, found by `package::name`. */
export class ModuleRegistry {
  readonly #modules = new Map<string, NativeModule>();

  constructor(modules: readonly NativeModule[]) {
    for (const module of modules) this.#modules.set(`${module.packageId}::${module.name}`, module);
  }

  get(packageId: string, name: string): NativeModule | undefined {
    return this.#modules.get(`${packageId}::${name}`);
  }

  function(packageId: string, module: string, name: string): NativeFunction | undefined {
    const functions = this.get(packageId, module)?.functions;
    return functions && Object.hasOwn(functions, name) ? functions[name] : undefined;
  }

  modulesOf(packageId: string): NativeModule[] {
    return [...this.#modules.values()].filter((module) => module.packageId === packageId);
  }

  packageIds(): string[] {
    return [...new Set([...this.#modules.values()].map((module) => module.packageId))];
  }

  /** Codec of a struct's contents; undefined for a type that no module declares. Ignores type arguments. */
  codec(type: string): AnyBcs | undefined {
    const { module, name } = splitStructTag(type);
    const structs = this.#modules.get(module)?.structs;
    return structs && Object.hasOwn(structs, name) ? structs[name] : undefined;
  }

  /** Whether `TransferObjects` may transfer objects of this type, that is, whether the struct has `store`. */
  hasPublicTransfer(type: string): boolean {
    if (!type.includes('::')) return false;
    const { module, name } = splitStructTag(normalizeType(type));
    const declared = this.#modules.get(module);
    return declared !== undefined && !declared.keyOnly?.includes(name);
  }
}
