// Runs before the body is read. Hides the page until it is complete, because the browser would lay out
// its tables repeatedly while it loads. A truncated page shows its content.
document.documentElement.classList.add("arriving");
addEventListener("DOMContentLoaded", () => document.documentElement.classList.remove("arriving"));
