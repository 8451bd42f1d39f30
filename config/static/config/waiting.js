// What is kept here: data of others go, acts leave.
import { recall } from "../matches/play/kept.js";

const { reader = "" } = document.body.dataset;
if ((recall("local", "reader") ?? "") !== reader.replace(/link.*/, "")) import("./this_device.js");

const open = indexedDB.open("barpoint", 2);
const show = (isHere) => isHere && import("./kept_here.js");
open.onupgradeneeded = (event) => {
  open.transaction.abort();
  show(event.oldVersion);
};
open.onsuccess = () => {
  const acts = open.result.transaction("acts").objectStore("acts");
  acts.index("waiting").count().onsuccess = (event) => show(event.target.result);
  open.result.close();
};
