/**
 * What this browser keeps about dice, in IndexedDB: the chains of its own player, and the anchors it has seen first of
 * every match. Over plain HTTP, too, transactions exclude each other across tabs.
 */

const DATABASE = "barpoint-dice";
export const CHAINS = "chains";
const ANCHORS = "anchors";

/**
 * Why a chain cannot be used. Codes: `storage_lost`, `chain_exhausted` and `link_spent` (a link was given for a roll or a
 * play that was never made: open another chain with openChain), `not_committed` (post the anchor), `roll_unverified`
 * (check the rolls first), `roll_failed` (the server has rolled wrongly; do not play on).
 */
export class ChainError extends Error {
  /** `sentence` is what the server says of it, where it was the server that refused. */
  constructor(code, sentence = "") {
    super(code);
    this.code = code;
    this.sentence = sentence;
  }
}

/**
 * The anchors and armings of a match that this browser has seen first, as `{ chains, armings }`, with new ones added for
 * the next time.
 */
export function seenBefore(match, chains, armings) {
  return change(ANCHORS, (store, finish) => {
    store.get(match).onsuccess = ({ target: { result } }) => {
      const seen = { match, chains: [], armings: [], ...result };
      const isNew = (chain) => !seen.chains.some((each) => each.owner === chain.owner && each.number === chain.number);
      const added = chains.filter(isNew).map(({ owner, number, anchor }) => ({ owner, number, anchor }));
      const later = armings.slice(seen.armings.length);
      if (added.length || later.length) {
        seen.chains.push(...added);
        seen.armings.push(...later);
        store.put(seen);
      }
      finish(seen);
    };
  });
}

/**
 * Run one transaction: `work(store, finish, fail)`. Resolves with what was finished with once that is on disk, and
 * rejects with a ChainError, of the code it failed with or `storage_lost`.
 */
export async function change(name, work) {
  const database = await open();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(name, "readwrite", { durability: "strict" });
      let value;
      let refusal = new ChainError("storage_lost");
      transaction.oncomplete = () => resolve(value);
      transaction.onabort = () => reject(refusal);
      work(
        transaction.objectStore(name),
        (result) => {
          value = result;
        },
        (code) => {
          refusal = new ChainError(code);
          transaction.abort();
        },
      );
    });
  } finally {
    database.close();
  }
}

function open() {
  return new Promise((resolve, reject) => {
    const lost = () => reject(new ChainError("storage_lost"));
    let request;
    try {
      request = indexedDB.open(DATABASE, 1);
    } catch {
      // Storage is switched off.
      return lost();
    }
    request.onupgradeneeded = () => {
      request.result.createObjectStore(CHAINS, { keyPath: ["match", "side", "number"] });
      request.result.createObjectStore(ANCHORS, { keyPath: "match" });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = lost;
    request.onblocked = lost;
    return undefined;
  });
}
