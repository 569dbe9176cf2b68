// The theme gives the small arrows of the menu no name; programs that read a page aloud need one.
document.addEventListener("DOMContentLoaded", () => {
  for (const arrow of document.querySelectorAll("nav summary")) {
    arrow.setAttribute("aria-label", "Show the pages below");
  }
});
