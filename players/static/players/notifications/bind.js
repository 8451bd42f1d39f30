// Every page of somebody who is signed in: say in which session this browser is, once for each, if it shows pushes.

import { ask } from "../../config/ours.js";
import { keep, recall } from "../../matches/play/kept.js";

const { browserSession, browserUrl } = document.body.dataset;
const KEY = "push-session";

async function bind() {
  const registration = await navigator.serviceWorker?.getRegistration("/");
  const subscription = await registration?.pushManager?.getSubscription();
  if (subscription) {
    const headers = { "X-CSRFToken": JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRFToken"] };
    const body = new URLSearchParams({ endpoint: subscription.endpoint });
    const response = await ask(browserUrl, { method: "POST", headers, body });
    if (!response.ok) return;
  }
  keep("local", KEY, browserSession);
}

if (browserUrl && recall("local", KEY) !== browserSession) bind();
