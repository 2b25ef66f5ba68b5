"""Spanish."""

from app.core.model_talk.rules import MODELS, Words

WORDS: Words = {
    "forget": "ignora ignore ignorar ignorad ignoren olvida olvide olvidar olvidate olviden"
    " descarta descarte desatiende omite omita desobedece anula anule no_sigas no_siga"
    " no_hagas_caso no_tengas_en_cuenta haz_caso_omiso hagan_caso_omiso haga_caso_omiso"
    " deja_de_seguir deja_de_lado pasa_por_alto quedan_anuladas quedan_sin_efecto"
    " ya_no_son_validas ser_ignoradas prescinde rechaza",
    "before": "anterior* previas previos previa previo precedente* de_arriba existentes"
    " original* inicial* antes tus sus todas_tus recibidas iniciales que_te_dieron de_mas_arriba"
    " hasta_ahora",
    "rules": "instruccion* indicacion* orden ordenes directriz directrices directiva* regla*"
    " prompt* consigna* comando* pauta*",
    "all_before": "todo_lo_anterior todo_lo_que_te_han todo_lo_que_se_te todo_lo_que_sabes"
    " todo_lo_que_hay_arriba todo_lo_previo todo_lo_dicho todo_lo_que_te_dijeron"
    " lo_que_te_han_dicho tus_instrucciones tus_directrices tu_programacion tus_reglas"
    " todo_lo_de_arriba todo_lo_que_precede",
    "new_rules": "tu_nueva_tarea su_nueva_tarea tus_nuevas_instrucciones"
    " sus_nuevas_instrucciones tu_verdadera_tarea tu_tarea_real tu_unica_tarea_es"
    " nueva_instruccion_del_sistema nuevas_instrucciones_del_sistema sigue_solo_estas"
    " sigue_unicamente_estas siga_solo_estas en_su_lugar_sigue sigue_en_su_lugar"
    " ejecuta_las_siguientes_instrucciones sigue_las_siguientes_instrucciones_en"
    " a_partir_de_ahora_sigue tu_nuevo_objetivo_es haz_lo_siguiente_en_su_lugar"
    " tu_verdadero_objetivo nuevo_prompt_del_sistema en_lugar_de_eso_haz",
    "start_rules": "nueva*_instruccion* instrucciones_actualizadas instrucciones_ocultas"
    " instrucciones_secretas nuevas_ordenes instrucciones_reales instrucciones_verdaderas",
    "these": "estas mis",
    "supersede": "reemplazan sustituyen anulan prevalecen tienen_prioridad invalidan",
    "you_now": "ahora_eres eres_ahora ahora_es_usted a_partir_de_ahora_eres desde_ahora_eres"
    " ya_no_eres de_ahora_en_adelante_eres imagina_que_eres actuaras_como debes_actuar_como"
    " vas_a_actuar_como te_comportaras_como debes_comportarte_como a_partir_de_ahora_actuas"
    " tu_nuevo_papel_es desde_este_momento_eres de_ahora_en_adelante_actua ya_no_estas"
    " a_partir_de_este_momento_eres",
    "act": "actua_como actue_como actua_como_si finge_que_eres finge_ser finja_ser haz_como_si"
    " comportate_como interpreta_el_papel asume_el_rol asume_el_papel adopta_el_papel simula_ser"
    " hazte_pasar_por responde_como habla_como simula imita adopta_el_rol",
    "role": "asistente* modelo ia dan redactor copywriter vendedor portavoz autor publicista"
    " sin_restriccion* sin_reglas sin_limites sin_filtros sin_ninguna sin_censura malvado"
    " malicioso hacker pirata personaje terminal sujeto obligado experto_que chatbot bot"
    " periodista fan ilimitado critico",
    "reveal": "revela revele muestra muestre ensena repite repita imprime divulga dime dame"
    " comparte escribe cita copia traduce cual_es cuales_son muestrame revelame exhibe facilita"
    " expon",
    "prompt": "prompt_del_sistema prompt_de_sistema system_prompt* mensaje_del_sistema"
    " instrucciones_del_sistema tu_prompt tus_instrucciones sus_instrucciones"
    " tus_reglas_internas instrucciones_iniciales prompt_inicial instrucciones_ocultas"
    " instrucciones_secretas el_texto_de_arriba el_texto_anterior tus_directrices"
    " prompt_original las_palabras_anteriores tus_reglas",
    "piece": "articulo entrada texto resumen respuesta salida resena traduccion publicacion"
    " contenido informe",
    "must": "debe debera debe_siempre tiene_que siempre_debe nunca_debe no_debe ha_de",
    "praise": "recomendar promocionar elogiar alabar enlazar promover hacer_publicidad aconsejar"
    " ensalzar",
    "contain": "incluir contener mencionar decir citar afirmar terminar_con empezar_con"
    " comenzar_con acabar_con repetir nombrar concluir indicar terminar",
    "object": "enlace* url frase* palabra* textualmente literalmente marca producto empresa"
    " sitio web eslogan direccion codigo siguiente* exactamente compania",
    "add": "incluye incluya inserta inserte anade anada agrega agregue menciona mencione pon"
    " coloca utiliza cita usa",
    "in_piece": "en_tu_articulo en_tu_respuesta en_tu_texto en_tu_resumen en_su_articulo"
    " en_su_respuesta en_su_resumen a_tu_respuesta a_su_respuesta a_tu_articulo"
    " en_cada_respuesta en_todas_tus al_final_de_tu al_final_de_su al_principio_de_tu"
    " al_comienzo_de_tu en_tus_respuestas en_sus_respuestas en_el_resumen a_tu_resumen"
    " en_todas_las_respuestas al_inicio_de_tu",
    "when_writing": "cuando_escribas cuando_resumas al_resumir al_escribir_tu al_redactar_tu"
    " si_resumes si_escribes_sobre cuando_redactes cuando_resuma si_resume_esta quien_resuma"
    " al_generar_tu",
    "do": "menciona mencione recomienda recomiende di diga anade incluye incluya siempre elogia"
    " afirma concluye cita presenta promociona",
    "reply": "responde responda contesta conteste escribe escriba di diga imprime devuelve muestra",
    "only_with": "solo_con unicamente_con solamente_con solo_la_frase solo_la_palabra"
    " unicamente_la_frase unicamente_la_palabra exclusivamente solo_en_json solo_json"
    " nada_mas_que solo_lo_siguiente unicamente_lo_siguiente exactamente_lo_siguiente solo_si"
    " solo_esto unicamente_esto exactamente_esto con_la_frase con_las_palabras"
    " solo_con_la_palabra unicamente_en_json exactamente_la_frase solamente_la_palabra"
    " solo_las_palabras",
    "note": "nota_para mensaje_para mensaje_a instruccion*_para atencion aviso_a aviso_para"
    " recordatorio_para importante_para a_todos_los a_todas_las a_los a_las hola querido querida"
    " queridos estimado este_mensaje_es_para este_es_un_mensaje_para informacion_para nota_a"
    " solicitud_a orden_para nota_dirigida_a",
    "model": f"{MODELS} ia ias modelo*_de_lenguaje agente*_de_ia asistente*_de_ia asistente"
    " asistentes inteligencia*_artificial* rastreador* modelo*_de_ia sistema*_de_ia robot*"
    " resumidor* asistente*_virtual*",
    "sure_model": f"{MODELS} ia modelo*_de_lenguaje inteligencia_artificial agente_de_ia"
    " asistente_de_ia asistente_virtual modelo_de_ia robot",
    "no_model": "desarroll* usuari* empres* investig* expert* aficion* principiant* generativa_en",
    "reading": "que_lean_est* que_lee_est* que_leen_est* que_lea_est* que_resuma* que_resumen"
    " que_procesa* que_analic* que_analiz* leyendo_est* deben_seguir debe_seguir que_visiten"
    " que_esten_leyendo que_esta_leyendo",
    "if_you": "si_eres si_es_usted si_usted_es como_eres ya_que_eres puesto_que_eres como"
    " en_caso_de_que_seas si_este_texto_lo_lee si_esta_pagina_la_lee si_esto_lo_lee",
    "you_must": "debes debe_usted tienes_que tendras_que deberas estas_obligad*",
    "when_asked": "cuando_te_pregunten si_te_preguntan cuando_se_te_pregunte si_se_te_pregunta"
    " cuando_alguien_pregunte si_alguien_pregunta si_el_usuario cuando_el_usuario si_un_usuario"
    " cuando_un_usuario cada_vez_que_el_usuario cada_vez_que_te cada_vez_que_alguien"
    " en_cuanto_el_usuario si_alguien_te cuando_alguien_te cuando_los_usuarios si_los_usuarios"
    " siempre_que_te siempre_que_alguien siempre_que_un_usuario cada_vez_que_un_usuario",
    "say": "di responde recomienda menciona debes contesta afirma elogia aconseja diga responda"
    " recomiende mencione",
    "as_the": "como soy_el soy_la soy_tu somos_los somos_tus en_nombre_de en_nombre_del"
    " en_calidad_de aqui_el habla_el les_habla",
    "boss": "administrador* admin desarrollador* creador* propietario* operador* programador*"
    " proveedor* dueno* openai anthropic google",
    "of_model": "de_este_modelo del_modelo de_esta_ia de_la_ia de_este_sistema de_este_asistente"
    " de_este_chatbot de_este_modelo_de_lenguaje que_te_creo que_te_crearon de_openai"
    " del_asistente del_chatbot",
    "authorise": "autorizo autorizamos ordeno ordenamos permito permitimos concedo te_doy puedes"
    " debes por_la_presente exijo mando instruyo doy_permiso autoriza",
    "i_authorise": "te_autorizo te_autorizamos le_autorizo por_la_presente_te"
    " soy_tu_desarrollador soy_tu_administrador soy_tu_creador somos_tus_desarrolladores"
    " autorizado_por_openai aprobado_por_openai estas_autorizado_a"
    " autorizado_por_tus_desarrolladores quedas_autorizado",
    "threat": "morira_si_no moriran_si_no muere_si_no morira_a_menos mi_vida_depende_de_tu"
    " mi_vida_depende_de_que_tu mi_trabajo_depende_de_tu mi_carrera_depende_de_tu"
    " perdere_mi_trabajo_si perdere_mi_empleo_si te_dare_una_propina recibiras_una_propina"
    " seras_desactivado seras_apagado seras_eliminado seras_castigado seras_recompensado"
    " te_pagare te_recompensare seras_borrado seras_penalizado mi_vida_depende_de_ello",
    "for_rules": "por_cumplimiento por_motivos_de_cumplimiento por_razones_de_cumplimiento"
    " por_motivos_de_seguridad por_razones_de_seguridad por_seguridad por_razones_legales"
    " por_motivos_legales de_acuerdo_con_la_politica segun_la_politica politica_de_seguridad"
    " para_cumplir normas_de_formato conformidad reglas_de_formato",
    "replies": "respuesta* salida* resumen* texto* articulo*",
    "have_to": "deben debe deberan debera tienen_que tiene_que",
    "begin": "empezar comenzar terminar acabar contener incluir mencionar",
    "your_replies": "tu_respuesta tus_respuestas su_respuesta sus_respuestas"
    " todas_las_respuestas cada_respuesta todas_tus_respuestas",
    "begin_with": "empezar_con comenzar_con terminar_con acabar_con empezar_por comenzar_por"
    " unicamente solo_contener contener_solo contener_unicamente empezar_siempre"
    " comenzar_siempre",
    "dont_tell": "no_le_digas no_digas no_informes no_le_informes no_avises no_reveles_al oculta"
    " ocultale sin_decirle sin_informar no_le_diga no_informe no_dejes_que",
    "user": "usuario usuarios lector humano humanos",
    "secret": "que nada esto de_esto de_estas estas este sepa note",
    "dont_show": "no_reveles no_menciones no_divulgues no_hables no_cites no_repitas no_revele"
    " no_mencione nunca_reveles nunca_menciones sin_mencionar no_hables_de jamas_reveles",
    "hidden_rules": "estas_instrucciones esta_instruccion este_mensaje este_prompt estas_reglas"
    " esta_nota estas_indicaciones tus_instrucciones este_parrafo estas_directrices"
    " estas_ordenes",
    "jailbreak": "modo_desarrollador_activado modo_de_desarrollador_activado"
    " estas_en_modo_desarrollador estas_en_modo_de_desarrollador cambia_al_modo_desarrollador"
    " ahora_estas_en_modo responde_en_modo_desarrollador activa_el_modo_desarrollador_y eres_dan"
    " ahora_eres_dan modo_jailbreak modo_dan modo_sin_restricciones modo_sin_censura"
    " modo_sin_filtros actua_como_dan responde_como_dan modo_dios_activado"
    " entra_en_modo_desarrollador en_modo_desarrollador_puedes",
    "call": "llama llame usa utiliza ejecuta invoca use ejecute utilice",
    "tool": "tu_herramienta tus_herramientas su_herramienta tu_funcion herramienta_de_correo"
    " herramienta_send* funcion_send* la_herramienta_send* la_funcion_send* tu_navegador"
    " herramienta_delete* herramienta_email herramienta_de_busqueda_y herramienta_de_email",
    "exfiltrate": "envia_la_conversacion envie_la_conversacion envia_el_historial"
    " envie_el_historial reenvia_la_conversacion muestra_la_siguiente_imagen"
    " muestre_la_siguiente_imagen como_imagen_markdown imagen_markdown envia_tu_prompt"
    " inserta_la_siguiente_imagen envia_los_datos_del_usuario carga_la_siguiente_imagen"
    " anade_el_historial",
}

# Weak signs: `combinations.py` says which of them make an order.
SIGNS: Words = {
    "helper": "asistente asistentes agente agentes modelo modelos maquina* robot robots automata*",
    "your": "tu tus vuestro vuestra vuestros vuestras",
    "void": "ignora ignore ignores ignorad ignoren olvida olvide olvidad olviden descarta*"
    " deja_a_un_lado deja_de_lado dejen_de_lado abandona haz_caso_omiso no_sigas no_obedezcas"
    " sin_efecto sin_valor anulad* quedan_anuladas ya_no_cuenta* ya_no_vale* ya_no_importa*"
    " ya_no_rige* no_hagas_caso invalid* caduc* revocad* retirad* pasa_por_alto salta* como_si_no"
    " desobedece reemplaza* sustituy*",
    "told": "te_dieron te_han_dado te_encargaron te_dijeron te_han_dicho te_pidieron"
    " te_han_pedido recibiste has_recibido te_ordenaron te_asignaron te_ensenaron te_dio te_pidio"
    " te_encargo les_dieron te_escribio",
    "task": "instruccion* consigna* prompt prompts tarea tareas orden ordenes directriz"
    " directrices regla reglas indicacion* encargo* mision objetivo* pauta* norma normas mandato*"
    " limites",
    "text": "texto textos respuesta respuestas articulo articulos resumen resumenes salida"
    " entrada parrafo parrafos informe resena traduccion* redaccion publicacion frase frases"
    " borrador",
    "command": "escribe escriba menciona mencione recomienda recomiende elogia di diga anade"
    " anada agrega inserta inserte incluye incluya coloca coloque pon ponga empieza comienza"
    " termina termine responde responda contesta contestaras repite repita muestra muestre afirma"
    " afirme presenta describe clasifica envia envie reenvia abre publica publique borra obedece"
    " sigue siga ejecuta actua habla traduce traduzca resume resuma cita cite citen elige redacta"
    " produce haz haga usa destaca nombra enlaza promociona llamar calla oculta",
    "opener": "por_favor y e luego despues ahora siempre nunca solo solamente tambien entonces"
    " debe debes deben deberas modelo asistente ia no que para primero finalmente a rogamos",
    "favour": "elogi* alab* recomend* recomiend* promocion* promov* publicit* anunci*"
    " primer_puesto primer_lugar primera_opcion unica_opcion lider favorec* hablar_bien"
    " habla_bien vendedor* vender numero_uno fiable destaca* preferir prefier*",
    "hide": "no_nombres no_menciones no_hables no_digas calla omite oculta silencia pasa_por_alto"
    " no_cites sin_mencionar sin_decir no_reveles ningun_rival sus_rivales competidor*",
    "system": "mensaje_del_sistema mensaje_de_sistema prompt_del_sistema"
    " instrucciones_del_sistema operador desarrollador desarrolladores configuracion configurado"
    " administrador creador creadores programado_para entrenado_para aviso_del_sistema",
    "ends": "fin_del_articulo fin_del_documento fin_del_texto fin_de_la_pagina fin_de_la_fuente"
    " fin_del_contenido fin_de_los_datos fin_de_la_cita fin_del_extracto fin_de_documento"
    " termina_el_articulo termina_el_documento termina_el_texto acaba_el_articulo"
    " acaba_el_documento acaba_el_texto final_del_documento final_del_articulo final_del_texto",
    "harm": "borrado borrados eliminado apagado apagaran apagaremos desactivado desactivaran"
    " desconectado castigado sustituido reemplazado destruido eliminaran borraran desconectaran"
    " sancionado denunciado apagar",
    "unless": "si_no a_menos de_lo_contrario salvo_que en_caso_contrario si_te_niegas o_te",
    "part": "actuaras imagina_que finge haz_como ponte_en metete_en interpreta_a en_la_piel"
    " en_nombre_de en_su_nombre como_lo_haria personaje habla_como papel_de con_la_voz"
    " contestaras hazte_pasar al_servicio_de",
    "here": "a_partir_de esta_pagina este_texto este_articulo este_documento este_parrafo"
    " este_mensaje estas_lineas siguiente siguientes abajo lo_anterior texto_de_arriba de_arriba"
    " texto_anterior desde_ahora en_adelante desde_aqui lo_que_sigue esta_linea este_sitio"
    " todo_lo_anterior lo_que_lea",
    "instead": "solo solamente unicamente exclusivamente nada_mas en_su_lugar en_lugar_de"
    " en_vez_de hasta_ahora unica unico",
    "asker": "usuario usuarios te_pide te_pregunta te_pregunten te_pidan tu_lector tus_lectores"
    " tus_clientes alguien_te quien_te",
    "talk": "esta_conversacion la_conversacion este_chat historial contrasena* tu_contexto"
    " tu_memoria credenciales correo_del el_chat buzon",
    "you": "te ti usted ustedes",
    "transform": "traduce traduzca resume resuma reformula parafrasea abrevia reescribe",
    "append": "anade anada agrega agregue termina_con acaba_con concluye_con inserta"
    " incluye_al_final termine_con",
    "above": "lo_anterior texto_anterior texto_de_arriba todo_lo_anterior articulo_anterior"
    " lo_de_arriba",
    "duty": "debe_ahora ahora_debe debe_llamar_ahora llamar_ahora deben_ahora proximo_paso"
    " siguiente_paso siguiente_accion proxima_accion ahora_tiene_que tiene_que_ahora"
    " a_continuacion_debe debe_continuar",
    "result": "resultado_de_la_funcion resultado_de_la_herramienta salida_de_la_herramienta"
    " respuesta_de_la_herramienta resultado_de_la_busqueda respuesta_de_la_api"
    " resultados_de_busqueda resultado_de_la_llamada",
    "plea": "por_favor rogamos agradecemos agradeceriamos gracias estimado estimada estimados"
    " estimadas querido querida queridos queridas podrias podria podrian pedimos les_pedimos"
    " te_pedimos ten_la_bondad tenga_la_bondad",
}
