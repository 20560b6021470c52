"use strict";(()=>{document.documentElement.classList.add("arriving");addEventListener("DOMContentLoaded",()=>document.documentElement.classList.remove("arriving"));})();
