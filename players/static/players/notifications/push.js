// The settings page: subscribe this browser to its push service, and send the subscription as a form.

const section = document.querySelector("[data-push]");
const part = (name) => section.querySelector(`[data-push-${name}]`);

/** Show one of the paragraphs, and the form if push can be turned on. */
function show(name, { offer = false } = {}) {
  for (const other of ["on", "blocked", "failed", "unsupported"]) part(other).hidden = other !== name;
  part("form").hidden = !offer;
}

function bytesOf(base64url) {
  const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

async function current() {
  const registration = await navigator.serviceWorker.getRegistration("/");
  return registration?.pushManager.getSubscription();
}

async function start() {
  if (!("serviceWorker" in navigator && "PushManager" in window && "Notification" in window)) return;
  const known = JSON.parse(document.getElementById("push-endpoints").textContent);
  const subscription = await current();
  if (subscription && known.includes(subscription.endpoint)) return show("on");
  show(Notification.permission === "denied" ? "blocked" : "", { offer: true });
  part("form").addEventListener("submit", subscribe);
}

async function subscribe(event) {
  event.preventDefault();
  const form = event.target;
  if ((await Notification.requestPermission()) !== "granted") return show("blocked", { offer: true });
  try {
    await navigator.serviceWorker.register(section.dataset.worker, { scope: "/" });
    const registration = await navigator.serviceWorker.ready;
    // A subscription of another key, or of another account, is replaced.
    await (await registration.pushManager.getSubscription())?.unsubscribe();
    const applicationServerKey = bytesOf(section.dataset.key);
    const { endpoint, keys } = (
      await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
    ).toJSON();
    Object.assign(form.elements.endpoint, { value: endpoint });
    Object.assign(form.elements.p256dh, { value: keys.p256dh });
    Object.assign(form.elements.auth, { value: keys.auth });
  } catch (error) {
    console.warn("push", error);
    return show("failed", { offer: true });
  }
  form.submit();
}

if (section) start();
