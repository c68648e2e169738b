// Starts Swagger UI on this service's own description; nothing is loaded from elsewhere.
window.addEventListener("load", () => {
  window.ui = SwaggerUIBundle({
    url: "/v1/openapi.json",
    dom_id: "#swagger-ui",
    deepLinking: true,
    tryItOutEnabled: true,
    persistAuthorization: true,
    displayRequestDuration: true,
    displayOperationId: true,
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
  });
});
