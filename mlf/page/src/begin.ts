// Runs before anything is read: while a page arrives, the browser would lay out its tables again and
// again. Nothing of it is shown until it is there; pages that are cut off show what there is.
document.documentElement.classList.add("arriving");
addEventListener("DOMContentLoaded", () => document.documentElement.classList.remove("arriving"));
