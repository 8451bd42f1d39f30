// What a page keeps in the browser. Where storage is switched off, nothing is kept and the page works all the same.

const stores = { local: () => localStorage, session: () => sessionStorage };

/** Return what was kept under a name in the `local` or the `session` storage; null if nothing was. */
export function recall(kind, name) {
  try {
    return stores[kind]().getItem(name);
  } catch {
    return null;
  }
}

export function keep(kind, name, value) {
  try {
    stores[kind]().setItem(name, value);
  } catch {
    // Storage is off or full.
  }
}

export function forget(kind, name) {
  try {
    stores[kind]().removeItem(name);
  } catch {
    // Storage is off.
  }
}
